import { useRef, useState } from 'react'
import type { TodoRequest } from '../../core/todo.ts'
import { rowState, shorten } from '../panelState.ts'
import { type PartProps, rowPart } from './part.ts'
import { RequestForm } from './RequestForm.tsx'
import { useMergedRef } from './useMergedRef.ts'

/** What {@link TodoPanelItemEdit} shows of its state, as `data-*` and to `render`. */
export interface TodoPanelItemEditState {
  readonly editing: boolean
}

/** Props of {@link TodoPanelItemEdit}. */
export type TodoPanelItemEditProps = Omit<PartProps<'div', TodoPanelItemEditState>, 'children'>

/**
 * Asks the model to rename, leave or remove the item of a row. Nothing unless the panel is `editable`, and in
 * rows that are finished or still being written. Renders a `<div>`.
 */
export const TodoPanelItemEdit = /* @__PURE__ */ rowPart<'div', TodoPanelItemEditState>(
  'ItemEdit',
  'div',
  function ItemEdit(row, props, ref) {
    const [editing, setEditing] = useState(false)
    const element = useRef<HTMLDivElement>(null)
    const merged = useMergedRef(element, ref)
    const { todo, labels, ask } = row
    if (!ask || ['completed', 'cancelled', 'draft'].includes(rowState(row))) return null

    function close() {
      setEditing(false)
      element.current?.closest('li')?.focus()
    }
    function send(
      request: Pick<Exclude<TodoRequest, { type: 'add' }>, 'type'> | { type: 'rename'; content: string },
    ) {
      // An agent elsewhere gets its own kind of id back.
      ask?.({ id: todo.id, ...request } as TodoRequest)
      close()
    }

    return [
      { editing },
      { ...props, ref: merged },
      <>
        <button
          type="button"
          className="todo-panel-dots"
          tabIndex={-1}
          aria-label={`${labels.change}: ${shorten(todo.content)}`}
          aria-expanded={editing}
          onClick={() => setEditing(!editing)}
        >
          ⋯
        </button>
        {editing && (
          <RequestForm
            label={labels.ask.rename}
            value={todo.content}
            submit={labels.ask.rename}
            onSend={(content) => send({ type: 'rename', content })}
            onCancel={close}
          >
            {(['skip', 'remove'] as const).map((type) => (
              <button key={type} type="button" onClick={() => send({ type })}>
                {labels.ask[type]}
              </button>
            ))}
          </RequestForm>
        )}
      </>,
    ]
  },
)
