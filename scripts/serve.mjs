// Serves a folder of static files on the loopback address: node scripts/serve.mjs [folder] [port]
// Port 0 (the default) takes a free one; the address is printed once it listens.
import { createReadStream, existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, resolve, sep } from 'node:path'

const [folder = 'storybook-static', port = '0'] = process.argv.slice(2)
const root = resolve(folder)
if (!existsSync(root))
  throw new Error(`There is no folder ${folder}. Build it first (npm run build:storybook).`)

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

const server = createServer(async (request, response) => {
  const file = await findFile(request.url ?? '/')
  if (!file) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found')
    return
  }
  response.writeHead(200, {
    'content-type': contentTypes[extname(file)] ?? 'application/octet-stream',
    'cache-control': 'no-store',
  })
  createReadStream(file)
    .on('error', () => response.destroy())
    .pipe(response)
})

server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object')
    console.log(`Serving ${folder} on http://127.0.0.1:${address.port}`)
})

/**
 * @param {string} url
 * @returns {Promise<string | undefined>}
 */
async function findFile(url) {
  const file = filePath(url)
  if (!file) return undefined
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory()) return findFile(`${url.replace(/[?#].*$/, '').replace(/\/$/, '')}/index.html`)
  return found?.isFile() ? file : undefined
}

/** @param {string} url */
function filePath(url) {
  try {
    const file = join(root, decodeURIComponent(new URL(url, 'http://localhost').pathname))
    return file === root || file.startsWith(root + sep) ? file : undefined
  } catch {
    return undefined
  }
}
