import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, readBuiltFiles, type BuiltFile } from './built-files.ts'
import { basedOn } from './page-base.ts'
import { contentSecurityPolicy, PAGE_HEADERS, type PageSources } from './page-policy.ts'
import { isNavigation } from './request.ts'
import { isKnown, sendBuilt } from './send-built.ts'

/** The folder of a page that a tool such as Vite has built. */
export type PageFolder = {
  /** The path below the plugin's mounts; `/` where the whole mount is the page's. */
  readonly url: string
  /** The absolute path of the folder. Its `index.html` is the page. */
  readonly folder: string
  /** `page` for an administration page, see `RouteAccess`; everybody gets it unless given. */
  readonly access?: 'public' | 'page'
  /**
   * Addresses of guarded operations, of this or any other plugin or the server's own, and the addresses below the plugin's first mount that
   * browsers are led to which open them: `{ '/config/{plugin}': '/config/{plugin}' }`. Programs, which accept no HTML, get the
   * operation's answer. It holds while the plugin runs; there are none unless given.
   */
  readonly standsFor?: Readonly<Record<string, string>>
  /**
   * A text in HTML files that is replaced by a nonce, another one in each answer, for pages with scripts that add styles
   * (`html.cspNonce` of Vite). Without it, styles come from files alone.
   */
  readonly styleNonce?: string
  /** Further sources that the page may load from, by directive of its Content-Security-Policy; none unless given. */
  readonly allow?: PageSources
}

const INDEX = 'index.html'
const ASSETS = 'assets/'
const NONCE_BYTES = 16

/**
 * Serves a built page: its files, and `index.html` for each address that a browser opens below `url` and that is
 * no file; the page's own router reads the path. The files are read once, so that an upgrade on the disk does not mix two
 * builds; compressed ones beside them (`.br`, `.gz`) go to clients that accept them. Browsers keep files below `assets/` with
 * a hash in their names, and ask again for the others. Routes of the plugin that are more exact go before.
 *
 * A `<base href="./">` of the page leads back to `url` from each address, so a page that is built with relative addresses
 * works below any path of a proxy.
 * @throws {Error} when the folder has no `index.html`
 */
export function servePageFolder(http: FastifyInstance, page: PageFolder): void {
  const { url, folder, access = 'public', standsFor = {}, styleNonce, allow = {} } = page
  const files = readBuiltFiles(folder)
  const index = files.get(INDEX)
  if (index === undefined) throw new Error(`there is no ${INDEX} in ${folder}`)
  const root = url.replace(/\/+$/u, '')
  const sources = [allow, { 'base-uri': ["'self'"] }]
  const policy = contentSecurityPolicy(...sources)

  const answer = (request: FastifyRequest<{ Params: { '*'?: string } }>, reply: FastifyReply): FastifyReply => {
    const { '*': name = '' } = request.params
    const way = name === '' ? wayToSlash(request.originalUrl) : undefined
    if (way !== undefined) return reply.redirect(way)
    const isPage = name === '' || (!name.startsWith(ASSETS) && isNavigation(request.raw))
    const file = files.get(name) ?? (isPage ? index : undefined)
    if (file === undefined) {
      reply.callNotFound()
      return reply
    }
    if (file.type === index.type) return answerPage(file, request, reply)
    return sendBuilt(file, request, reply.header('content-security-policy', policy))
  }

  /** HTML is made for the address that it is asked for. */
  function answerPage(file: BuiltFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const nonce = styleNonce === undefined ? undefined : randomBytes(NONCE_BYTES).toString('base64')
    const html = rendered(String(file.bodies.at(-1)?.bytes), depthBelow(root, request.url), nonce)
    reply.headers(PAGE_HEADERS).type(file.type)
    if (nonce === undefined) {
      const etag = etagOf(html)
      reply.headers({ 'content-security-policy': policy, etag })
      return isKnown(request, etag) ? reply.code(304).send() : reply.send(html)
    }
    const styles = { 'style-src': [`'nonce-${nonce}'`] }
    return reply.header('content-security-policy', contentSecurityPolicy(...sources, styles)).send(html)
  }

  function rendered(html: string, depth: number, nonce: string | undefined): string {
    const based = depth === 0 ? html : basedOn('../'.repeat(depth), html)
    return styleNonce === undefined || nonce === undefined ? based : based.replaceAll(styleNonce, nonce)
  }

  if (root !== '') http.get(root, { config: { access } }, answer)
  http.get(`${root}/*`, { config: { access, standsFor } }, answer)
}

/** Returns the address with a slash at its end, from which relative ones count; undefined where it has one. */
function wayToSlash(originalUrl: string): string | undefined {
  const [path = '', ...query] = originalUrl.split('?')
  if (path.endsWith('/')) return undefined
  return `./${path.slice(path.lastIndexOf('/') + 1)}/${query.length > 0 ? `?${query.join('?')}` : ''}`
}

/** Returns the number of slashes in an address below the page's, as a browser counts them. */
function depthBelow(root: string, url: string): number {
  const [path = ''] = url.split('?', 1)
  return path.slice(root.length + 1).split('/').length - 1
}
