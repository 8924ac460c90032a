import { definePlugin, PortRange, SluiceError, Type } from 'sluice/sdk'

/** Counts the RTP and RTCP packets that come in at a session's own pair of ports. */
export default definePlugin({
  name: 'rtp-meter',
  version: '1.0.0',
  config: Type.Object({ mediaports: PortRange({ default: '20001-30000', description: 'Ports of sessions' }) }),
  setup({ config, http, net }) {
    const sessions = new Map<string, { packets: number; reports: number; end(): Promise<unknown> }>()

    http.post('/', async () => {
      const session = { packets: 0, reports: 0, end: () => Promise.all([rtp.close(), rtcp.close()]) }
      const onRtp = () => void (session.packets += 1)
      const onRtcp = () => void (session.reports += 1)
      // Throws what is answered as 503 where no pair is free.
      const [rtp, rtcp] = await net.udpPortPair(config.mediaports, onRtp, onRtcp)
      sessions.set(String(rtp.address.port), session)
      return { rtp: rtp.address.port, rtcp: rtcp.address.port }
    })

    http.get<{ Params: { port: string } }>('/:port', ({ params }) => {
      const { packets, reports } = sessionAt(params.port)
      return { packets, reports }
    })

    http.delete<{ Params: { port: string } }>('/:port', async ({ params }, reply) => {
      const session = sessionAt(params.port)
      sessions.delete(params.port)
      await session.end()
      return reply.code(204).send()
    })

    function sessionAt(port: string) {
      const session = sessions.get(port)
      if (session === undefined) throw new SluiceError('GONE', 410, 'there is no such session')
      return session
    }
  },
})
