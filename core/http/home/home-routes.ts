import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'

const PAGE_FOLDER = path.join(import.meta.dirname, 'page')
const MPEGTS_FILE = fileURLToPath(import.meta.resolve('mpegts.js'))

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

/** Kept by browsers, but asked for again each time: an upgrade of the server shows at once. */
const REVALIDATE = 'no-cache'

const FILES = [
  { url: '/', file: path.join(PAGE_FOLDER, 'index.html'), type: 'text/html; charset=utf-8' },
  { url: '/assets/home.css', file: path.join(PAGE_FOLDER, 'home.css'), type: 'text/css; charset=utf-8' },
  { url: '/assets/home.js', file: path.join(PAGE_FOLDER, 'home.js'), type: 'text/javascript; charset=utf-8' },
  { url: '/assets/icon.svg', file: path.join(PAGE_FOLDER, 'icon.svg'), type: 'image/svg+xml' },
  { url: '/assets/mpegts.js', file: MPEGTS_FILE, type: 'text/javascript; charset=utf-8' },
] as const

/** The page at `/`, which plays the streams of this server, with all it needs. Files are read once. */
export function registerHome(app: FastifyInstance): void {
  for (const { url, file, type } of FILES) {
    const body = readFileSync(file)
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
    app.get(url, (request, reply) => {
      reply.headers({
        etag,
        'cache-control': REVALIDATE,
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.type(type).send(body)
    })
  }
}
