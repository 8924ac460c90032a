import { expect } from 'chai'
import { sampleTrack } from '../container/flv/fixtures/tracks.ts'
import { codecsOf } from './codecs.ts'

/** By RFC 6381 and what registers the codecs; AC-3 and below by Apple's authoring specification. */
const cases = {
  h264: 'avc1.64000a',
  h265: 'hvc1.1.6.L30.90',
  av1: 'av01.0.00M.08',
  vp9: 'vp09.00.10.08',
  aac: 'mp4a.40.2',
  opus: 'opus',
  ac3: 'ac-3',
  eac3: 'ec-3',
  flac: 'fLaC',
  mp3: 'mp4a.40.34',
} as const

describe('codecsOf', () => {
  for (const [codec, codecs] of Object.entries(cases) as [keyof typeof cases, string][]) {
    it(`says ${codecs} of ${codec}`, () => {
      expect(codecsOf({ ...sampleTrack(codec).init, id: 0 })).to.equal(codecs)
    })
  }
})
