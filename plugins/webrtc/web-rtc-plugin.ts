import { addressTemplates, definePlugin } from 'sluice/sdk'
import { providePull } from './client/pull.ts'
import { providePush } from './client/push.ts'
import { WebRtcConfig } from './config.ts'
import { addOperations } from './operations.ts'
import { servePageFiles } from './page-files.ts'
import type { WebRtcContext } from './plugin-context.ts'
import type { SessionParts } from './server/session-parts.ts'
import { Sessions } from './server/sessions.ts'
import { SignallingRoutes } from './signalling/routes.ts'

/**
 * Defines the plugin.
 * @param openParts opens the parts that the sessions of one generation share, such as its ports
 */
export function webRtcPlugin(openParts: (ctx: WebRtcContext) => SessionParts | Promise<SessionParts>) {
  return definePlugin({
    name: 'webrtc',
    version: '1.0.0',
    sdk: '^1',
    description: 'Takes, plays, pulls and pushes streams over WebRTC: WHIP and WHEP',
    provides: ['pull:webrtc', 'push:webrtc'],
    protocol: {
      number: 4,
      schemes: { whep: { tcpPort: 80 }, wheps: { tcpPort: 443 }, whip: { tcpPort: 80 }, whips: { tcpPort: 443 } },
      pathParts: ['whep', 'whip'],
    },
    closingNotice: true,
    config: WebRtcConfig,
    live: ['pli', 'iceservers', 'bframes', 'publish', 'subscribe'],
    endpoints: ({ http }) => ({
      pushAddr: addressTemplates(http, '/webrtc/push/{streamPath}', ['http']),
      playAddr: addressTemplates(http, '/webrtc/play/{streamPath}', ['http']),
    }),
    async setup(ctx) {
      const parts = await openParts(ctx)
      const sessions = new Sessions(ctx, parts)
      providePull(ctx, parts)
      providePush(ctx, parts)
      servePageFiles(ctx.http)
      addOperations(ctx, sessions)
      new SignallingRoutes(ctx, sessions).add()
    },
  })
}
