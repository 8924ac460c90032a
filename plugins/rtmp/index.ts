import { addressTemplates, definePlugin } from 'sluice/sdk'
import { RtmpConfig } from './config.ts'
import { RtmpFormats } from './from-stream.ts'
import { RtmpSession } from './session.ts'

export default definePlugin({
  name: 'rtmp',
  version: '1.0.0',
  sdk: '^1',
  description: 'Takes and plays streams over RTMP and RTMPS, enhanced RTMP included',
  config: RtmpConfig,
  live: ['chunksize', 'c2', 'publish', 'subscribe'],
  closingNotice: true,
  endpoints: ({ tcp }) => {
    const addresses = addressTemplates(tcp, '/{streamPath}', ['rtmp'])
    return { pushAddr: addresses, playAddr: addresses }
  },
  async setup(ctx) {
    const formats = new RtmpFormats()
    const sessions = new Set<RtmpSession>()
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
