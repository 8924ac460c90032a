import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** What a page may load: files, the API and media of its own server, and what a script feeds to a player. */
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

/** A file of a page. */
export type PageFile = {
  /** Below the plugin's mounts. */
  readonly url: string
  /** An absolute path. */
  readonly file: string
  /** Its media type, with the charset of a text. */
  readonly type: string
}

/** Says that a request is to go elsewhere; undefined for one that is answered by the file. */
type Elsewhere = (request: FastifyRequest) => string | undefined

/**
 * Serves a file of a page to everybody: a script, a style sheet, an image or the page itself, which may load nothing but from
 * this server. It is read once.
 * @throws {Error} when there is no such file
 */
export function servePageFile(http: FastifyInstance, { url, file, type }: PageFile, elsewhere?: Elsewhere): void {
  const body = readFileSync(file)
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  http.get(url, { config: { access: 'public' } }, (request, reply): FastifyReply => {
    const other = elsewhere?.(request)
    if (other !== undefined) return reply.redirect(other)
    reply.headers({ ...HEADERS, etag })
    return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.type(type).send(body)
  })
}
