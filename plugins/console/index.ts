import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { definePlugin } from 'sluice/sdk'
import { servePageFolder } from 'sluice/sdk/http'
import { STYLE_NONCE } from './style-nonce.ts'

const FOLDER = path.join(import.meta.dirname, 'app', 'built')

export default definePlugin({
  name: 'console',
  version: '1.0.0',
  sdk: '^1',
  description: 'The administration page at /admin/',
  provides: ['console'],
  mounts: ['admin', 'console'],
  setup({ http, log, services }) {
    const index = path.join(FOLDER, 'index.html')
    if (!existsSync(index)) {
      log.warn("the administration page isn't built: npm run build makes it")
      return
    }
    servePageFolder(http, {
      url: '/',
      folder: FOLDER,
      access: 'page',
      standsFor: { '/config': '/config', '/config/': '/config', '/config/{plugin}': '/config/{plugin}' },
      styleNonce: STYLE_NONCE,
      allow: {
        'script-src': [importMapHash(readFileSync(index, 'utf8'))],
        // Pictures that a player takes of a stream, and those of a login's guarded operations.
        'img-src': ['data:', 'blob:'],
      },
    })
    services.provide('console', { url: '/admin/' })
  },
})

/** The source of the page's import map, its only inline script, for the Content-Security-Policy. */
function importMapHash(html: string): string {
  const [, map = ''] = /<script type="importmap"[^>]*>(.*?)<\/script>/su.exec(html) ?? []
  return `'sha256-${createHash('sha256').update(map).digest('base64')}'`
}
