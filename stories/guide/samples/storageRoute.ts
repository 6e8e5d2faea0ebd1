import type { SessionStorage } from 'use-todo-agent'

/** `storage` is the signed-in person's own, so that an id is never enough to read what belongs to somebody else. */
export async function storageRoute(request: Request, storage: SessionStorage): Promise<Response> {
  const { method, args }: { method: string; args: unknown[] } = await request.json()
  switch (method) {
    case 'read':
    case 'readMessages':
    case 'readHistory':
    case 'write':
    case 'setAside':
    case 'list':
    case 'delete':
      // What a storage gets is checked by the session that reads it.
      return Response.json({ result: await (storage[method] as (...given: unknown[]) => unknown)(...args) })
    default:
      return new Response('There is no such method.', { status: 400 })
  }
}
