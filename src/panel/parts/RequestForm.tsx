import type { FormEvent, KeyboardEvent, ReactElement, ReactNode } from 'react'

/** A line to write a request in. Enter sends it, Escape leaves it. */
export function RequestForm(props: {
  label: string
  value?: string
  submit: string
  onSend: (text: string) => void
  onCancel: () => void
  children?: ReactNode
}): ReactElement {
  const { label, value, submit, onSend, onCancel, children } = props

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get('text')).trim()
    if (text && text !== value) onSend(text)
    else onCancel()
  }

  function cancelOnEscape(event: KeyboardEvent) {
    if (event.key !== 'Escape') return
    // The panel around it stays open.
    event.preventDefault()
    onCancel()
  }

  return (
    <form className="todo-panel-form" onSubmit={send} onKeyDown={cancelOnEscape}>
      <input name="text" aria-label={label} defaultValue={value} autoComplete="off" ref={focus} />
      <button type="submit">{submit}</button>
      {children}
    </form>
  )
}

function focus(field: HTMLInputElement | null): void {
  field?.focus()
}
