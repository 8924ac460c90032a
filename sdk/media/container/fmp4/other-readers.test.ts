import { requirePeer } from '../../../../test/peers/require-peer.ts'
import { expectTracks, MEDIABUNNY, MP4BOX } from '../fixtures/expect-tracks.ts'
import { readWithMediabunny, readWithMp4box } from '../fixtures/other-readers.ts'
import { FMP4_SOURCES } from '../fixtures/sources.ts'
import { fragmented } from './fixtures/fragmented.ts'

describe('fMP4 with other readers', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  for (const source of FMP4_SOURCES) {
    it(`is read by mediabunny as what was written: ${source.name}`, async () => {
      const stream = await source.read()
      expectTracks(await readWithMediabunny(fragmented(stream, 10)), stream, MEDIABUNNY)
    })

    // mp4box reads past the end of a dfLa box, as it takes the flag of the last block for its opposite.
    if (source.name === 'flac') continue
    it(`is read by mp4box as what was written: ${source.name}`, async () => {
      const stream = await source.read()
      expectTracks(readWithMp4box(fragmented(stream, 10)), stream, MP4BOX)
    })
  }
})
