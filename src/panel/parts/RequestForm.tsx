import { type KeyboardEvent, type ReactElement, type ReactNode, useEffect, useRef } from 'react'

/** A line to write a request in. Enter sends it, Escape leaves it. No `<form>`: the panel may stand in one. */
export function RequestForm(props: {
  label: string
  value?: string
  submit: string
  onSend: (text: string) => void
  onCancel: () => void
  children?: ReactNode
}): ReactElement {
  const { label, value, submit, onSend, onCancel, children } = props
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])

  function send() {
    const text = field.current?.value.trim()
    if (text && text !== value) onSend(text)
    else onCancel()
  }

  function sendOrLeave(event: KeyboardEvent) {
    const inField = event.target === field.current
    const done = { Enter: inField && send, Escape: onCancel }[event.key]
    // While a word is being composed, both keys belong to the input method.
    if (!done || event.nativeEvent.isComposing) return
    // What is around it, a form or a sheet, takes no notice.
    event.preventDefault()
    done()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its field and buttons.
    <div className="todo-panel-form" onKeyDown={sendOrLeave}>
      <input aria-label={label} defaultValue={value} autoComplete="off" ref={field} />
      <button type="button" onClick={send}>
        {submit}
      </button>
      {children}
    </div>
  )
}
