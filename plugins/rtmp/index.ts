import { addressTemplates, definePlugin } from 'sluice/sdk'
import { providePull } from './client/pull.ts'
import { providePush } from './client/push.ts'
import { RtmpConfig } from './config.ts'
import { RtmpFormats } from './from-stream.ts'
import { addOperations } from './operations.ts'
import { RTMP } from './protocol.ts'
import { RtmpSession } from './session.ts'

export default definePlugin({
  name: 'rtmp',
  version: '1.0.0',
  sdk: '^1',
  description: 'Takes, plays, pulls and pushes streams over RTMP and RTMPS, enhanced RTMP included',
  provides: ['pull:rtmp', 'push:rtmp'],
  protocol: RTMP,
  config: RtmpConfig,
  live: ['chunksize', 'c2', 'verifycertificate', 'publish', 'subscribe'],
  closingNotice: true,
  endpoints: ({ tcp }) => {
    const addresses = addressTemplates(tcp, '/{streamPath}', ['rtmp'])
    return { pushAddr: addresses, playAddr: addresses }
  },
  async setup(ctx) {
    const formats = new RtmpFormats()
    const sessions = new Set<RtmpSession>()
    providePull(ctx)
    providePush(ctx, formats)
    addOperations(ctx)
    await ctx.net.tcp(ctx.config.tcp, (socket) => {
      const { chunksize, c2 } = ctx.config
      const session = new RtmpSession(socket, { ctx, formats, chunkSizeBytes: chunksize, checkC2: c2 })
      sessions.add(session)
      socket.once('close', () => sessions.delete(session))
    })
    ctx.onDispose(() => {
      for (const session of sessions) session.close('the plugin is stopping')
    })
  },
})
