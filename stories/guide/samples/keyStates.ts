import type { TodoSession } from 'use-todo-agent'

/** From the page to a server that keeps the same six keys, and back. */
export async function continueOnServer(session: TodoSession, url: string): Promise<void> {
  await session.ready()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(session.exportExtra()),
  })
  await session.importExtra(await response.json())
}
