import { type NextRequest, NextResponse } from 'next/server.js'

/**
 * Each page goes out with a nonce of its own, which Next gives to the scripts it writes into the page. Those load their chunks, so
 * `'strict-dynamic'`; nothing else runs.
 */
export function proxy(request: NextRequest) {
  const nonce = btoa(crypto.randomUUID())
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
  const headers = new Headers(request.headers)
  // From this header Next learns the nonce.
  headers.set('content-security-policy', policy)
  const response = NextResponse.next({ request: { headers } })
  response.headers.set('content-security-policy', policy)
  return response
}
