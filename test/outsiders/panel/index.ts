import path from 'node:path'
import { definePlugin } from 'sluice/sdk'
import { servePageFolder } from 'sluice/sdk/http'

/** A page of many addresses, as a build tool leaves it in `page`: its router reads the path, and its script adds styles. */
export default definePlugin({
  name: 'panel',
  version: '1.0.0',
  pages: [{ url: '/', title: 'Panel', icon: '/icon.svg' }],
  setup({ http, streams }) {
    http.get('/api/streams', { config: { access: 'public' } }, () => streams.list().map(({ path }) => path))
    servePageFolder(http, {
      url: '/',
      folder: path.join(import.meta.dirname, 'page'),
      styleNonce: 'NONCE_OF_THIS_PAGE',
      allow: { 'img-src': ['data:'] },
    })
  },
})
