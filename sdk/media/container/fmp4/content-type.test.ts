import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { SAMPLE_TRACKS, sampleTrack } from '../flv/fixtures/tracks.ts'
import { canCarryInFmp4 } from './carriage.ts'
import { fmp4ContentType, initSegmentContentType } from './content-type.ts'
import { createInitSegment } from './init-segment.ts'

const TRACKS = SAMPLE_TRACKS.map(({ init }) => ({ ...init, id: 0 })).filter((track) => canCarryInFmp4(track))
const VIDEO = { ...sampleTrack('h264').init, id: 0 }
const AUDIO = { ...sampleTrack('aac').init, id: 1 }

describe('the content type of fMP4', () => {
  it('names the codecs, and is that of pictures where there are any', () => {
    expect(fmp4ContentType([VIDEO, AUDIO])).to.match(/^video\/mp4; codecs="avc1\.[0-9a-f]{6},mp4a\.40\.2"$/u)
    expect(fmp4ContentType([AUDIO])).to.equal('audio/mp4; codecs="mp4a.40.2"')
  })

  it('is read from an init segment as it was written, whatever follows it', () => {
    expect(TRACKS).to.have.length.above(10)
    for (const tracks of [...TRACKS.map((track) => [track]), [VIDEO, AUDIO]]) {
      const bytes = Buffer.concat([createInitSegment(tracks), Buffer.from('0000000c6d6f6f66ffffffff', 'hex')])
      expect(initSegmentContentType(bytes)).to.equal(fmp4ContentType(tracks))
    }
  })

  it('is none of bytes that begin with no init segment', () => {
    const init = createInitSegment([VIDEO])
    for (const bytes of [Buffer.alloc(0), Buffer.from('moof'), init.subarray(init.readUInt32BE(0))]) {
      expect(initSegmentContentType(bytes)).to.equal(undefined)
    }
    expect(() => initSegmentContentType(init.subarray(0, -1))).to.throw(MalformedError)
  })
})
