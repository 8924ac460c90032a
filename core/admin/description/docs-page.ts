import { createReadStream } from 'node:fs'
import type { FastifyInstance } from 'fastify'

const PATH = '/api/docs'
/** The page may only request this server. The icons of its style sheet are `data:` URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'self'",
].join('; ')

const OWN_FOLDER = new URL('page/', import.meta.url)
const SWAGGER_UI_FOLDER = new URL('static/', import.meta.resolve('@fastify/swagger-ui'))
/** All files of the page, below its address. No other file is ever read. */
const FILES: readonly (readonly [name: string, type: string, folder: URL])[] = [
  ['page.js', 'text/javascript; charset=utf-8', OWN_FOLDER],
  ['page.css', 'text/css; charset=utf-8', OWN_FOLDER],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8', SWAGGER_UI_FOLDER],
  ['swagger-ui.css', 'text/css; charset=utf-8', SWAGGER_UI_FOLDER],
  ['favicon-32x32.png', 'image/png', SWAGGER_UI_FOLDER],
]

/**
 * `/api/docs`: a page that shows the OpenAPI document, and sends requests to operations for its reader. Its files contain
 * nothing about this server: where login is on, a browser can open it without a token, and fetches the document with one.
 */
export function registerDocsPage(app: FastifyInstance): void {
  const add = (path: string, type: string, file: URL) =>
    app.get(path, { config: { access: 'page' } }, (_request, reply) => {
      void reply.headers({ 'content-security-policy': CONTENT_SECURITY_POLICY, 'x-content-type-options': 'nosniff' })
      return reply.type(type).send(createReadStream(file))
    })
  add(PATH, 'text/html; charset=utf-8', new URL('index.html', OWN_FOLDER))
  for (const [name, type, folder] of FILES) add(`${PATH}/${name}`, type, new URL(name, folder))
}
