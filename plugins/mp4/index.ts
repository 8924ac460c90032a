import { addRecordingOperations, addressTemplates, definePlugin, StreamNotFound, type Track } from 'sluice/sdk'
import { serveLive } from 'sluice/sdk/http'
import { FMP4_FORMAT, fmp4ContentType, liveFmp4Tracks, mainTracks } from 'sluice/sdk/media'
import { addDownloadRoute } from './download/download-route.ts'
import { addExtraction } from './extract/extraction.ts'
import { registerPull } from './file/mp4-pull.ts'
import { frameFmp4Message } from './frame-message.ts'
import { addEventOperation } from './record/event-operation.ts'
import { addTagOperations } from './record/tag-operations.ts'
import { MP4_RECORDS } from './record/record-service.ts'

const CODECS = 'H.264, H.265, AV1 and VP9 of up to 65,535 pixels a side; AAC, Opus, MP3, FLAC, AC-3 and E-AC-3'

export default definePlugin({
  name: 'mp4',
  version: '1.0.0',
  sdk: '^1',
  description: 'Plays streams as fragmented MP4 over HTTP and WebSocket, records them, and plays MP4 files as streams',
  provides: ['pull:mp4', 'record:mp4'],
  protocol: { number: 7, endings: ['.mp4'] },
  // Files are played at their own pace.
  defaults: { publish: { speed: 1 } },
  endpoints: ({ http }) => ({ playAddr: addressTemplates(http, '/mp4/{streamPath}.mp4', ['http', 'ws']) }),
  setup(ctx) {
    registerPull(ctx)
    ctx.services.provide('record:mp4', MP4_RECORDS)
    addRecordingOperations(ctx, 'mp4')
    addEventOperation(ctx)
    addTagOperations(ctx)
    addDownloadRoute(ctx)
    addExtraction(ctx)
    serveLive(ctx, {
      extension: 'mp4',
      format: FMP4_FORMAT,
      webSocketFrame: frameFmp4Message,
      contentType({ streamPath, tracks }) {
        const carried = liveFmp4Tracks(tracks)
        const leftOut = mainTracks(tracks)
          .filter((track) => !carried.some(({ id }) => id === track.id))
          .map(describe)
        if (carried.length === 0) {
          ctx.log.info(
            { stream: streamPath, leftOut },
            `refused: MP4 can carry none of the tracks; it carries ${CODECS}`,
          )
          throw new StreamNotFound(`MP4 cannot carry ${leftOut.join(' and ')}; it carries ${CODECS}`)
        }
        if (leftOut.length > 0) ctx.log.info({ stream: streamPath, leftOut }, 'MP4 leaves out what it cannot carry')
        return fmp4ContentType(carried)
      },
    })
  },
})

/** A track as a person names it: `pcma`, or `av1 of 65536x1080`. */
function describe(track: Track): string {
  return track.kind === 'video' ? `${track.codec} of ${track.config.width}x${track.config.height}` : track.codec
}
