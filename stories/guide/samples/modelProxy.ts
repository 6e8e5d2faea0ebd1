export interface Upstream {
  readonly url: string
  readonly key: string
  readonly model: string
}

/** Answers POST /api/model/chat/completions. Ask first who sends it, and how much that person may use. */
export async function modelProxy(request: Request, { url, key, model }: Upstream): Promise<Response> {
  const asked = await request.json()
  const answer = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ ...asked, model, max_tokens: 4000 }),
    signal: request.signal,
  })
  const headers = new Headers()
  for (const name of ['content-type', 'retry-after']) {
    const value = answer.headers.get(name)
    if (value) headers.set(name, value)
  }
  return new Response(answer.body, { status: answer.status, headers })
}
