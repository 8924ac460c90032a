import { expect } from 'chai'
import { AccessUnit } from '../../access-unit.ts'
import { H264_NALU_TYPE, h264NaluType } from '../../codec/h264/nalu-type.ts'
import { H265_NALU_TYPE, h265NaluType } from '../../codec/h265/nalu-type.ts'
import { splitAnnexB } from '../../codec/nalu.ts'
import { MalformedError } from '../../errors.ts'
import type { Track } from '../../track.ts'
import { sampleTrack } from '../flv/fixtures/tracks.ts'
import { ANNEXB_FORMAT, serializeAnnexB } from './format.ts'

function trackOf(codec: Track['codec'], id: number, layer = ''): Track {
  return { ...sampleTrack(codec).init, timescale: 90_000, id, layer }
}

function unitOf(track: Track, keyframe = true): AccessUnit {
  const { keyframe: first, frame } = sampleTrack(track.codec)
  return AccessUnit.fromData(track, 0, 0, keyframe, keyframe ? first : frame)
}

const H264 = trackOf('h264', 0)
const H265 = trackOf('h265', 0)
const METADATA = {}

const typesOf = ({ codec }: Track, bytes: Buffer | null) =>
  splitAnnexB(bytes ?? Buffer.alloc(0)).map(codec === 'h264' ? h264NaluType : h265NaluType)

const CASES = [
  {
    track: H264,
    delimiter: H264_NALU_TYPE.ACCESS_UNIT_DELIMITER,
    sets: [H264_NALU_TYPE.SPS, H264_NALU_TYPE.PPS],
  },
  {
    track: H265,
    delimiter: H265_NALU_TYPE.ACCESS_UNIT_DELIMITER,
    sets: [H265_NALU_TYPE.VPS, H265_NALU_TYPE.SPS, H265_NALU_TYPE.PPS],
  },
]

describe('a byte stream (Annex B)', () => {
  for (const { track, delimiter, sets } of CASES) {
    it(`of ${track.codec} has a delimiter in each unit, and the parameter sets in keyframes`, () => {
      for (const keyframe of [true, false]) {
        const unit = unitOf(track, keyframe)
        const bytes = serializeAnnexB(unit)
        const [first, ...rest] = splitAnnexB(bytes)
        const expected = unit.nalus.map(track.codec === 'h264' ? h264NaluType : h265NaluType)
        expect(typesOf(track, bytes)).to.eql([delimiter, ...(keyframe ? sets : []), ...expected])
        expect(first?.length).to.be.greaterThan(0)
        expect(rest.slice(-unit.nalus.length).every((nalu, index) => nalu.equals(unit.nalus[index]!))).to.equal(true)
        expect(bytes.subarray(0, 4).toString('hex')).to.equal('00000001')
      }
    })
  }

  it('keeps the parameter sets that a keyframe has, and has no delimiter twice', () => {
    const sets = splitAnnexB(serializeAnnexB(unitOf(H264))).slice(0, 3)
    const nalus = [...sets, ...unitOf(H264).nalus]
    const bytes = serializeAnnexB(AccessUnit.fromNalus(H264, 0, 0, true, nalus))
    expect(splitAnnexB(bytes).map((nalu) => nalu.toString('hex'))).to.eql(nalus.map((nalu) => nalu.toString('hex')))
  })

  it('is none of another codec', () => {
    expect(() => serializeAnnexB(unitOf(trackOf('vp8', 0)))).to.throw(MalformedError, /vp8/u)
    expect(() => serializeAnnexB(unitOf(trackOf('aac', 0)))).to.throw(MalformedError, /aac/u)
    expect(ANNEXB_FORMAT.carries?.(trackOf('av1', 0))).to.equal(false)
  })

  it('has the main track of pictures alone', () => {
    const muxer = ANNEXB_FORMAT.createMuxer()
    const layer = trackOf('h264', 1, 'low')
    expect(muxer.start({ tracks: [layer, H264], metadata: METADATA })).to.have.length(0)
    expect(muxer.mux(unitOf(layer))).to.equal(null)
    expect(muxer.mux(unitOf(H264))).to.eql(serializeAnnexB(unitOf(H264)))
  })

  it('goes on in the codec that it began in, and in no other', () => {
    const former = ANNEXB_FORMAT.createMuxer()
    former.start({ tracks: [H264], metadata: METADATA })
    former.mux(unitOf(H264))
    const same = { tracks: [trackOf('h264', 3)], metadata: METADATA }
    const other = { tracks: [H265], metadata: METADATA }

    const follower = ANNEXB_FORMAT.createMuxer(former)
    follower.start(same)
    expect(follower.resume?.(same, 0)).to.have.length(0)
    expect(follower.follows?.(former)).to.equal(true)

    const stranger = ANNEXB_FORMAT.createMuxer(former)
    stranger.start(other)
    expect(() => stranger.resume?.(other, 0)).to.throw(MalformedError, /h265 that began as h264/u)
    former.start(other)
    expect(() => former.configure(H265, 0)).to.throw(MalformedError)
  })
})
