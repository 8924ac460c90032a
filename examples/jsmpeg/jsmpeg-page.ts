/**
 * A plugin with a page of its own, which plays a stream by JSMpeg: MPEG-1 on a canvas, decoded in JavaScript.
 *
 * Run it: `npm start -- -c examples/jsmpeg/config.yaml`, then open `http://localhost:8080/jsmpeg-page/`, or
 * `http://localhost:8080/jsmpeg-page/#live/test` for another stream. The player is the package `@cycjimmy/jsmpeg-player`:
 * outside a clone, install it first.
 */
import { readFile } from 'node:fs/promises'
import { definePlugin } from 'sluice/sdk'

const PLAYER = new URL(import.meta.resolve('@cycjimmy/jsmpeg-player'))

export default definePlugin({
  name: 'jsmpeg-page',
  version: '1.0.0',
  sdk: '^1',
  description: 'A page that plays a stream by JSMpeg',

  async setup({ http }) {
    const page = await readFile(new URL('page.html', import.meta.url))
    const player = await readFile(PLAYER)
    // Anybody may have them; the gates judge who may play.
    const config = { access: 'public' } as const
    http.get('/', { config }, (_request, reply) => reply.type('text/html').send(page))
    http.get('/player.js', { config }, (_request, reply) => reply.type('text/javascript').send(player))
  },
})
