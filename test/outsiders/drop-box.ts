import { definePlugin, PortRange, SluiceError, Type } from 'sluice/sdk'

const PATIENCE_MS = 60_000

/** Takes a text from each client over one TCP connection. The client asks for its address by HTTP, and has a port of its own. */
export default definePlugin({
  name: 'drop-box',
  version: '1.0.0',
  config: Type.Object({ ports: PortRange({ default: '20001-30000', description: 'Ports of deliveries' }) }),
  setup(ctx) {
    const { config, http, net } = ctx
    const delivered = new Map<string, string>()

    http.post('/', async ({ ip }) => {
      // When no port is free, the error is answered as 503.
      const listener = await net.tcpPort(config.ports, (socket) => {
        forget()
        void listener.close()
        let text = ''
        socket.setEncoding('utf8').on('data', (part: string) => (text += part))
        socket.on('end', () => delivered.set(String(port), text)).on('error', () => {})
      })
      const forget = ctx.setTimeout(() => listener.close(), PATIENCE_MS)
      const port = listener.addresses[0]?.port
      return { address: await net.addressToward(ip), port }
    })

    http.get<{ Params: { port: string } }>('/:port', ({ params }) => {
      const found = delivered.get(params.port)
      if (found === undefined) throw new SluiceError('NOTHING_THERE', 404, 'nothing has come')
      return found
    })
  },
})
