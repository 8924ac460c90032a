import { addressTemplates, definePlugin, StreamNotFound } from 'sluice/sdk'
import { serveLive } from 'sluice/sdk/http'
import { ANNEXB_FORMAT, canCarryInAnnexB, mainTracks } from 'sluice/sdk/media'

export default definePlugin({
  name: 'annexb',
  version: '1.0.0',
  sdk: '^1',
  description: 'Plays the pictures of streams as a byte stream of H.264 or H.265 (Annex B) over HTTP and WebSocket',
  endpoints: ({ http }) => ({ playAddr: addressTemplates(http, '/annexb/{streamPath}', ['http', 'ws']) }),
  setup(ctx) {
    serveLive(ctx, {
      extension: 'annexb',
      format: ANNEXB_FORMAT,
      contentType({ tracks }) {
        if (tracks.some(canCarryInAnnexB)) return 'application/octet-stream'
        const codecs = mainTracks(tracks).map(({ codec }) => codec)
        throw new StreamNotFound(`a byte stream cannot carry ${codecs.join(' and ')}; it carries H.264 and H.265`)
      },
    })
  },
})
