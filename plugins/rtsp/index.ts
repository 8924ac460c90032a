import type { Socket } from 'node:net'
import { addressTemplates, definePlugin, sessionClient } from 'sluice/sdk'
import { providePull, type PullTable } from './client/pull.ts'
import { providePush } from './client/push.ts'
import { RTSP } from './client/target-url.ts'
import { RtspConfig } from './config.ts'
import { addOperations } from './operations.ts'
import { RtspServer } from './server/server.ts'

/** Ordinary users of Linux may not have the port of RTSP. */
const FALLBACK_ADDRESS = ':8554'

export default definePlugin({
  name: 'rtsp',
  version: '1.0.0',
  sdk: '^1',
  description: 'Takes, plays, pulls and pushes streams over RTSP and RTSPS',
  provides: ['pull:rtsp', 'push:rtsp'],
  protocol: RTSP,
  config: RtspConfig,
  live: [
    'username',
    'password',
    'udpport',
    'sessiontimeout',
    'transport',
    'verifycertificate',
    'backchannel',
    'publish',
    'subscribe',
  ],
  endpoints: ({ tcp }) => {
    const addresses = addressTemplates(tcp, '/{streamPath}', ['rtsp'])
    return { pushAddr: addresses, playAddr: addresses }
  },
  async setup(ctx) {
    const server = new RtspServer(ctx)
    const pulls = ctx.keep('pulls', (): PullTable => new Map())
    providePull(ctx, pulls)
    providePush(ctx, server.formats)
    addOperations(ctx, pulls)
    const accept = (socket: Socket) => {
      server.accept({ stream: socket, client: sessionClient(socket), local: localEnd(socket) })
    }
    await ctx.net.tcp(ctx.config.tcp, accept, { fallback: FALLBACK_ADDRESS })
  },
})

/** The address here that a client has connected to. */
function localEnd({ localAddress, localPort }: Socket) {
  return sessionClient({ remoteAddress: localAddress, remotePort: localPort })
}
