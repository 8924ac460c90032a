import { performance } from 'node:perf_hooks'
import { Ingest } from './media/to-stream/ingest.ts'
import { Playout } from './media/playout.ts'
import { srtpCipherLibrary } from './srtp/create-contexts.ts'
import { TransportPorts } from './transport/transport-ports.ts'
import { webRtcPlugin } from './web-rtc-plugin.ts'

export default webRtcPlugin(async (ctx) => {
  const ports = await TransportPorts.open({ ctx, ports: ctx.config.port, now: () => performance.now() })
  ctx.onDispose(() => ports.close())
  ctx.log.info({ ports: ctx.config.port, encryption: srtpCipherLibrary().name }, 'WebRTC is ready')
  return {
    createTransport: (init) => ports.createPeerTransport(init),
    createIngest: (part) => new Ingest({ ...part, timers: ctx }),
    createPlayout: (part) =>
      new Playout({ ...part, timers: ctx, now: () => performance.timeOrigin + performance.now() }),
  }
})
