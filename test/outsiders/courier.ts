import { text } from 'node:stream/consumers'
import { definePlugin, ProxyUrl, SluiceError, Type } from 'sluice/sdk'

const TIMEOUT_MS = 10_000

/** Brings messages to another server, a line each, and answers with what that says until it ends the connection. */
export default definePlugin({
  name: 'courier',
  version: '1.0.0',
  config: Type.Object({
    host: Type.String({ default: 'localhost', description: 'Name or address of the server' }),
    port: Type.Integer({ default: 7, description: 'Port of the server' }),
    proxy: ProxyUrl({ default: '', description: 'Proxy on the way to the server; none when empty' }),
  }),
  setup({ config: { host, port, proxy }, http, net }) {
    const dialer = net.dialer(proxy)

    http.post<{ Body: string }>('/', async ({ body }) => {
      try {
        const socket = await dialer.connect({ host, port })
        socket.setTimeout(TIMEOUT_MS, () => socket.destroy())
        socket.write(`${body}\n`)
        return await text(socket)
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'failed'
        throw new SluiceError('NOT_DELIVERED', 502, reason)
      }
    })
  },
})
