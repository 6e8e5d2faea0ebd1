import type { ExportedSession } from 'use-todo-agent'

/** Hands a session to the person as a JSON file. */
export function download(session: ExportedSession): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(session, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${session.session.title ?? session.session.id}.json`
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
