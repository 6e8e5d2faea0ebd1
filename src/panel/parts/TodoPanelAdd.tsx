import { useRef, useState } from 'react'
import { say } from '../labels.ts'
import { type PartProps, part } from './part.ts'
import { RequestForm } from './RequestForm.tsx'
import { useMergedRef } from './useMergedRef.ts'

/** What {@link TodoPanelAdd} shows of its state, as `data-*` and to `render`. */
export interface TodoPanelAddState {
  readonly editing: boolean
}

/** Props of {@link TodoPanelAdd}. */
export type TodoPanelAddProps = Omit<PartProps<'div', TodoPanelAddState>, 'children'>

/**
 * Asks the model for a new item, and shows those that were asked for until they come. Nothing unless the panel
 * is `editable`. Renders a `<div>`.
 */
export const TodoPanelAdd = /* @__PURE__ */ part<'div', TodoPanelAddState>(
  'Add',
  'div',
  function Add({ labels, open, ask, waiting }, props, ref) {
    const [editing, setEditing] = useState(false)
    const element = useRef<HTMLDivElement>(null)
    const merged = useMergedRef(element, ref)
    if (!open || !ask) return null

    function close() {
      // Focus first: the form has it, and takes it along.
      element.current?.querySelector('button')?.focus()
      setEditing(false)
    }

    return [
      { editing },
      { ...props, ref: merged },
      <>
        {waiting.map(
          (request, index) =>
            request.type === 'add' && (
              // biome-ignore lint/suspicious/noArrayIndexKey: they are only ever added to.
              <div key={index} className="todo-panel-asked" dir="auto">
                {say(labels, labels.askedFor.add, { content: request.content })}
              </div>
            ),
        )}
        <button
          type="button"
          className="todo-panel-new"
          aria-expanded={editing}
          onClick={() => setEditing(!editing)}
        >
          + {labels.addItem}
        </button>
        {editing && (
          <RequestForm
            label={labels.addItem}
            submit={labels.ask.add}
            onSend={(content) => {
              ask({ type: 'add', content })
              close()
            }}
            onCancel={close}
          />
        )}
      </>,
    ]
  },
)
