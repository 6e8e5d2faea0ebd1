// Serves a folder of static files on the loopback address: node scripts/serve.mjs [folder] [port]
// Port 0 (the default) takes a free one; the address is printed once it listens.
import { createReadStream, existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/** @type {Record<string, string>} */
const contentTypes = {
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder = 'storybook-static', port = '0'] = process.argv.slice(2)
  if (!existsSync(folder))
    throw new Error(`There is no folder ${folder}. Build it first (npm run build:storybook).`)
  const { url } = await serve(folder, { port: Number(port) })
  console.log(`Serving ${folder} on ${url}`)
}

/**
 * Serves a folder until `close` is called.
 *
 * @param {string} folder
 * @param {{ port?: number, headers?: Record<string, string> }} [options] `headers` go with every answer
 * @returns {Promise<{ url: string, close(): void }>}
 */
export async function serve(folder, { port = 0, headers = {} } = {}) {
  const root = resolve(folder)
  const server = createServer(async (request, response) => {
    const file = await findFile(root, request.url ?? '/')
    if (!file) {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found')
      return
    }
    response.writeHead(200, {
      'content-type': contentTypes[extname(file)] ?? 'application/octet-stream',
      'cache-control': 'no-store',
      ...headers,
    })
    createReadStream(file)
      .on('error', () => response.destroy())
      .pipe(response)
  })
  await new Promise((listening) => server.listen(port, '127.0.0.1', () => listening(undefined)))
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * @param {string} root
 * @param {string} url
 * @returns {Promise<string | undefined>}
 */
async function findFile(root, url) {
  const file = filePath(root, url)
  if (!file) return undefined
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory())
    return findFile(root, `${url.replace(/[?#].*$/, '').replace(/\/$/, '')}/index.html`)
  return found?.isFile() ? file : undefined
}

/** @param {string} root @param {string} url */
function filePath(root, url) {
  try {
    const file = join(root, decodeURIComponent(new URL(url, 'http://localhost').pathname))
    return file === root || file.startsWith(root + sep) ? file : undefined
  } catch {
    return undefined
  }
}
