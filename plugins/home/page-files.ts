import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { isNavigation, servePageFile, type PageFile } from 'sluice/sdk/http'

const FOLDER = path.join(import.meta.dirname, 'page')
const SCRIPT = 'text/javascript; charset=utf-8'

const FILES: readonly PageFile[] = [
  { url: '/home.css', file: path.join(FOLDER, 'home.css'), type: 'text/css; charset=utf-8' },
  { url: '/icon.svg', file: path.join(FOLDER, 'icon.svg'), type: 'image/svg+xml' },
  ...['addresses', 'copy', 'home', 'notices', 'player', 'stream-list', 'uses', 'web-socket-loader', 'whep'].map(
    (name) => ({
      url: `/${name}.js`,
      file: path.join(FOLDER, `${name}.js`),
      type: SCRIPT,
    }),
  ),
  { url: '/mpegts.js', file: fileURLToPath(import.meta.resolve('mpegts.js')), type: SCRIPT },
]
/** Its addresses are relative to the server's root, wherever it is shown. */
const PAGE: PageFile = {
  url: '/',
  file: path.join(FOLDER, 'index.html'),
  type: 'text/html; charset=utf-8',
  base: ({ originalUrl }) => (pathOf(originalUrl) === '/' ? './' : '../'),
}

/** Returns the address of the administration page for a visitor, relative to the server's root; undefined where there is none. */
type ConsoleFor = (request: IncomingMessage) => string | undefined

/**
 * Serves the page at `/home/`, with its files, and at `/` to all but administrators: their browsers are led from there to the
 * administration page, where there is one.
 */
export function servePageFiles(http: FastifyInstance, consoleFor: ConsoleFor): void {
  for (const file of FILES) servePageFile(http, file)
  servePageFile(http, PAGE, ({ originalUrl, raw }) => {
    const urlPath = pathOf(originalUrl)
    if (!urlPath.endsWith('/')) return './home/'
    const console = urlPath === '/' && isNavigation(raw) ? consoleFor(raw) : undefined
    return console === undefined ? undefined : `./${console}`
  })
}

function pathOf(originalUrl: string): string {
  const [urlPath = ''] = originalUrl.split('?', 1)
  return urlPath
}
