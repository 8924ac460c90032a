import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { servePageFile, type PageFile } from 'sluice/sdk/http'

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
const PAGE: PageFile = { url: '/', file: path.join(FOLDER, 'index.html'), type: 'text/html; charset=utf-8' }

/** Serves the page at `/`, and its files below `/home/`. */
export function servePageFiles(http: FastifyInstance): void {
  for (const file of FILES) servePageFile(http, file)
  servePageFile(http, PAGE, ({ originalUrl }) => rootOf(originalUrl))
}

/** The relative address of the page from `/home` and `/home/`, as the page's addresses are relative to `/`; undefined at `/` itself. */
function rootOf(originalUrl: string): string | undefined {
  const [urlPath = ''] = originalUrl.split('?', 1)
  if (urlPath === '/') return undefined
  return urlPath.endsWith('/') ? '../' : './'
}
