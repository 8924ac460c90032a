import { addressTemplates, definePlugin, StreamNotFound } from 'sluice/sdk'
import { serveLive } from 'sluice/sdk/http'
import { carriedTracks, fmp4ContentType } from './carried-track.ts'
import { FMP4_FORMAT, WS_FMP4_FORMAT } from './from-stream.ts'

export default definePlugin({
  name: 'mp4',
  version: '1.0.0',
  sdk: '^1',
  description: 'Plays streams as fragmented MP4 over HTTP and WebSocket',
  endpoints: ({ http }) => ({ playAddr: addressTemplates(http, '/mp4/{streamPath}.mp4', ['http', 'ws']) }),
  setup(ctx) {
    serveLive(ctx, {
      extension: 'mp4',
      format: FMP4_FORMAT,
      webSocketFormat: WS_FMP4_FORMAT,
      contentType({ streamPath, tracks }) {
        const carried = carriedTracks(tracks)
        if (carried.length > 0) return fmp4ContentType(carried)
        const codecs = tracks.map(({ codec }) => codec)
        ctx.log.info({ stream: streamPath, codecs }, 'refused: fMP4 can carry none of the tracks')
        throw new StreamNotFound()
      },
    })
  },
})
