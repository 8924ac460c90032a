import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { etagOf } from './built-files.ts'
import { basedOn } from './page-base.ts'
import { contentSecurityPolicy, PAGE_HEADERS } from './page-policy.ts'

/** A file of a page. */
export type PageFile = {
  /** The path below the plugin's mounts. */
  readonly url: string
  /** The absolute path of the file. */
  readonly file: string
  /** Its media type, with the charset of a text. */
  readonly type: string
  /** `page` for a file of an administration page, see `RouteAccess`; everybody gets it unless given. */
  readonly access?: 'public' | 'page'
  /**
   * Returns the address that the relative ones in a page count from, `../`, where that is not the page's own. The page has
   * `<base href="./">` for it, before the first of its addresses.
   */
  readonly base?: (request: FastifyRequest) => string
}

/** Returns the address for a redirect; undefined for a request that is answered by the file. */
type Elsewhere = (request: FastifyRequest) => string | undefined

/**
 * Serves a file of a page: a script, a style sheet, an image or the page itself, which may load nothing but from this server. It is
 * read once.
 * @throws {Error} when there is no such file
 */
export function servePageFile(http: FastifyInstance, page: PageFile, elsewhere?: Elsewhere): void {
  const { url, file, type, access = 'public', base } = page
  const content = readFileSync(file)
  const asItIs = tagged(content)
  const policy = contentSecurityPolicy(base === undefined ? {} : { 'base-uri': ["'self'"] })
  http.get(url, { config: { access } }, (request, reply): FastifyReply => {
    const other = elsewhere?.(request)
    if (other !== undefined) return reply.redirect(other)
    const { body, etag } = base === undefined ? asItIs : tagged(basedOn(base(request), String(content)))
    reply.headers({ ...PAGE_HEADERS, 'content-security-policy': policy, etag })
    return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.type(type).send(body)
  })
}

function tagged(body: Buffer | string): { readonly body: Buffer | string; readonly etag: string } {
  return { body, etag: etagOf(body) }
}
