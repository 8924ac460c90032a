import { addressTemplates, definePlugin } from 'sluice/sdk'
import { WebRtcConfig } from './config.ts'
import { addOperations } from './operations.ts'
import { servePageFiles } from './page-files.ts'
import type { WebRtcContext } from './plugin-context.ts'
import type { SessionParts } from './server/session-parts.ts'
import { Sessions } from './server/sessions.ts'
import { SignallingRoutes } from './signalling/routes.ts'

/**
 * Defines the plugin.
 * @param openParts opens what the sessions of one generation share, such as its ports
 */
export function webRtcPlugin(openParts: (ctx: WebRtcContext) => SessionParts | Promise<SessionParts>) {
  return definePlugin({
    name: 'webrtc',
    version: '1.0.0',
    sdk: '^1',
    description: 'Takes and plays streams over WebRTC: WHIP and WHEP',
    closingNotice: true,
    config: WebRtcConfig,
    live: ['pli', 'iceservers', 'bframes', 'publish', 'subscribe'],
    endpoints: ({ http }) => ({
      pushAddr: addressTemplates(http, '/webrtc/push/{streamPath}', ['http']),
      playAddr: addressTemplates(http, '/webrtc/play/{streamPath}', ['http']),
    }),
    async setup(ctx) {
      const sessions = new Sessions(ctx, await openParts(ctx))
      servePageFiles(ctx.http)
      addOperations(ctx, sessions)
      new SignallingRoutes(ctx, sessions).add()
    },
  })
}
