import { addressTemplates, definePlugin } from 'sluice/sdk'
import { serveWebSocket } from 'sluice/sdk/http'
import { JsmpegConfig } from './config.ts'
import { Encoders } from './encoders.ts'
import { feedAddress } from './feed-address.ts'
import { checkFfmpeg } from './ffmpeg-check.ts'

export default definePlugin({
  name: 'jsmpeg',
  version: '1.0.0',
  sdk: '^1',
  description: 'Plays streams as MPEG-1 over WebSocket, encoded by ffmpeg, for browsers that play nothing else',
  requires: ['rtsp'],
  config: JsmpegConfig,
  endpoints: ({ http }) => ({ playAddr: addressTemplates(http, '/jsmpeg/{streamPath}', ['ws']) }),
  async setup(ctx) {
    await checkFfmpeg(ctx, ctx.config.ffmpegpath)
    const encoders = new Encoders(ctx)
    serveWebSocket(ctx, {
      extension: 'ts',
      accept({ sourcePath }) {
        feedAddress(ctx.services.get('server'), sourcePath, '')
        encoders.checkRoom(sourcePath)
      },
      play: (subscriber, sink) => encoders.join(subscriber, sink),
    })
  },
})
