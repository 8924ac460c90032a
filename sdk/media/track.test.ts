import { expect } from 'chai'
import { mainTracks, type Track, type TrackInit } from './track.ts'

const VIDEO: TrackInit = {
  kind: 'video',
  codec: 'h264',
  timescale: 9e4,
  config: {
    record: Buffer.alloc(0),
    width: 320,
    height: 240,
    codecString: 'avc1.64000d',
  },
}
const AUDIO: TrackInit = {
  kind: 'audio',
  codec: 'aac',
  timescale: 48e3,
  config: {
    record: Buffer.alloc(0),
    sampleRate: 48e3,
    channels: 2,
    codecString: 'mp4a.40.2',
  },
}

const CASES: readonly [what: string, tracks: readonly TrackInit[], main: readonly number[]][] = [
  ['the only one of each kind, pictures first', [AUDIO, VIDEO], [1, 0]],
  ['the first, where nothing but the language differs', [{ ...AUDIO, language: 'fr' }, AUDIO], [0]],
  ['the one without a layer, wherever it stands', [{ ...VIDEO, layer: 'low' }, VIDEO, { ...VIDEO, layer: '' }], [1]],
  ['the first, where all have a layer', [AUDIO, { ...VIDEO, layer: 'high' }, { ...VIDEO, layer: 'low' }], [1, 0]],
  ['none where there are none', [], []],
]

describe('the main tracks', () => {
  for (const [what, inits, main] of CASES) {
    it(`are ${what}`, () => {
      const tracks = inits.map((init, id): Track => ({ ...init, id }))
      expect(mainTracks(tracks).map(({ id }) => id)).to.eql(main)
    })
  }
})
