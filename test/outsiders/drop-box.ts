import { text } from 'node:stream/consumers'
import { definePlugin, PortRange, SluiceError, Type } from 'sluice/sdk'

const PATIENCE_MS = 60_000

/** Takes a text from each client over one TCP connection, at a port that is the client's alone. */
export default definePlugin({
  name: 'drop-box',
  version: '1.0.0',
  config: Type.Object({ ports: PortRange({ default: '20001-30000', description: 'Ports of deliveries' }) }),
  setup({ config, http, net, setTimeout }) {
    const delivered = new Map<string, string>()

    http.post('/', async () => {
      // Throws what is answered as 503 where no port is free.
      const listener = await net.tcpPort(config.ports, async (socket) => {
        forget()
        await listener.close()
        delivered.set(String(port), await text(socket))
      })
      const forget = setTimeout(() => listener.close(), PATIENCE_MS)
      const port = listener.addresses[0]?.port
      return { port }
    })

    http.get<{ Params: { port: string } }>('/:port', ({ params }) => {
      const found = delivered.get(params.port)
      if (found === undefined) throw new SluiceError('NOTHING_THERE', 404, 'nothing has come')
      return found
    })
  },
})
