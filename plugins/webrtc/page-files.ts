import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { servePageFile } from 'sluice/sdk/http'

const FOLDER = path.join(import.meta.dirname, 'page')
const SCRIPT = 'text/javascript; charset=utf-8'
const HTML = 'text/html; charset=utf-8'

/** Serves the test page, and the client for browsers that it and the home page use. */
export function servePageFiles(http: FastifyInstance): void {
  for (const name of ['client', 'drawn-media', 'test']) {
    servePageFile(http, { url: `/${name}.js`, file: path.join(FOLDER, `${name}.js`), type: SCRIPT })
  }
  servePageFile(http, { url: '/test.css', file: path.join(FOLDER, 'test.css'), type: 'text/css; charset=utf-8' })
  servePageFile(http, { url: '/test', file: path.join(FOLDER, 'test.html'), type: HTML })
  for (const half of ['publish', 'subscribe']) {
    http.get(`/test/${half}`, { config: { access: 'public' } }, (_, reply) => reply.redirect(`../test#${half}`))
  }
}
