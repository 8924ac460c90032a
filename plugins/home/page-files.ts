import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'

const FOLDER = path.join(import.meta.dirname, 'page')
const SCRIPT = 'text/javascript; charset=utf-8'

/** What the page may load: its own files, the API and media of this server, and what mpegts.js feeds to the player. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "media-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  // Kept by browsers, but asked for again each time: an upgrade of the server shows at once.
  'cache-control': 'no-cache',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

const FILES = [
  { url: '/home.css', file: path.join(FOLDER, 'home.css'), type: 'text/css; charset=utf-8' },
  { url: '/icon.svg', file: path.join(FOLDER, 'icon.svg'), type: 'image/svg+xml' },
  { url: '/addresses.js', file: path.join(FOLDER, 'addresses.js'), type: SCRIPT },
  { url: '/copy.js', file: path.join(FOLDER, 'copy.js'), type: SCRIPT },
  { url: '/home.js', file: path.join(FOLDER, 'home.js'), type: SCRIPT },
  { url: '/player.js', file: path.join(FOLDER, 'player.js'), type: SCRIPT },
  { url: '/stream-list.js', file: path.join(FOLDER, 'stream-list.js'), type: SCRIPT },
  { url: '/web-socket-loader.js', file: path.join(FOLDER, 'web-socket-loader.js'), type: SCRIPT },
  { url: '/mpegts.js', file: fileURLToPath(import.meta.resolve('mpegts.js')), type: SCRIPT },
] as const

/** Serves the page at `/`, and its files below `/home/`. All are read once. */
export function servePageFiles(http: FastifyInstance): void {
  for (const { url, file, type } of FILES) serveFile(http, url, file, type)
  serveFile(http, '/', path.join(FOLDER, 'index.html'), 'text/html; charset=utf-8')
}

function serveFile(http: FastifyInstance, url: string, file: string, type: string): void {
  const body = readFileSync(file)
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  http.get(url, { config: { access: 'public' } }, (request, reply) => {
    const root = rootOf(request.originalUrl)
    if (url === '/' && root !== undefined) return reply.redirect(root)
    reply.headers({ ...HEADERS, etag })
    return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.type(type).send(body)
  })
}

/** The way from `/home` and `/home/` to the page, whose addresses are relative to `/`; undefined at `/` itself. */
function rootOf(originalUrl: string): string | undefined {
  const [urlPath = ''] = originalUrl.split('?', 1)
  if (urlPath === '/') return undefined
  return urlPath.endsWith('/') ? '../' : './'
}
