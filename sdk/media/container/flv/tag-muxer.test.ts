import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { AccessUnit } from '../../access-unit.ts'
import type { Track } from '../../track.ts'
import { RecordingSink } from './fixtures/recording-sink.ts'
import { SAMPLE_TRACKS, sampleTrack } from './fixtures/tracks.ts'
import type { SampleTrack } from './fixtures/tracks.ts'
import { serializeFlvFileHeader } from './file-header.ts'
import { FlvReader } from './reader.ts'
import { FlvTagDemuxer } from './tag-demuxer.ts'
import { flvConfigBody, flvTagType, flvUnitHeader, unitTimestampMs } from './tag-muxer.ts'
import { serializeFlvTag } from './tag.ts'
import type { FlvTag } from './tag.ts'
import { fromHex, loadFlv } from './fixtures/bytes.ts'

function demux(tags: readonly FlvTag[]): RecordingSink {
  const sink = new RecordingSink()
  const demuxer = new FlvTagDemuxer(sink)
  for (const { type, timestampMs, body } of tags) {
    if (type === 9) demuxer.video(timestampMs, body)
    else if (type === 8) demuxer.audio(timestampMs, body)
    else demuxer.script(body)
  }
  expect(demuxer.dropped).to.equal(0)
  return sink
}

function mux(track: Track, units: readonly AccessUnit[], multitrackId?: number): FlvTag[] {
  const config = flvConfigBody(track, multitrackId)
  const parts = [serializeFlvFileHeader({ audio: true, video: true })]
  if (config) parts.push(serializeFlvTag(flvTagType(track), 0, [config]))
  for (const unit of units) {
    const body = [flvUnitHeader(unit, multitrackId), unit.data]
    parts.push(serializeFlvTag(flvTagType(track), unitTimestampMs(unit), body))
  }
  return new FlvReader().push(Buffer.concat(parts))
}

const times = fc.array(
  fc.record({ step: fc.nat(1000), cts: fc.integer({ min: -500, max: 5000 }), keyframe: fc.boolean() }),
  {
    minLength: 1,
    maxLength: 10,
  },
)

/** Units of a track from random times; the first is a keyframe. */
function unitsOf(
  { init, keyframe, frame }: SampleTrack,
  track: Track,
  steps: readonly { step: number; cts: number; keyframe: boolean }[],
): AccessUnit[] {
  let dts = 0
  return steps.map((step, index) => {
    const isKey = index === 0 || step.keyframe || init.kind === 'audio'
    dts += step.step
    const pts = init.codec === 'h264' || init.codec === 'h265' ? dts + step.cts : dts
    return AccessUnit.fromData(track, dts, pts, isKey, isKey ? keyframe : frame)
  })
}

function shown({ dts, pts, keyframe, data }: AccessUnit): unknown {
  return { dts, pts, keyframe, data: data.toString('hex') }
}

describe('FLV muxer and demuxer', () => {
  for (const sample of SAMPLE_TRACKS) {
    const { codec } = sample.init
    const inMultitrack = codec === 'pcma' || codec === 'pcmu' ? [] : [0, 5]
    for (const multitrackId of [undefined, ...inMultitrack]) {
      it(`carry ${codec} ${multitrackId === undefined ? 'alone' : `as track ${multitrackId} of several`}`, () => {
        fc.assert(
          fc.property(times, (steps) => {
            const track: Track = { ...sample.init, id: 0 }
            const units = unitsOf(sample, track, steps)
            const sink = demux(mux(track, units, multitrackId))
            const layer = multitrackId === 5 ? { layer: '5' } : {}
            expect(sink.tracks).to.deep.equal([{ ...track, ...layer }])
            expect(sink.units.map(shown)).to.deep.equal(units.map(shown))
          }),
          { numRuns: rounds(25) },
        )
      })
    }
  }
})

const CAPTURES = ['h264-aac', 'mp3', 'pcm-alaw', 'pcm-mulaw'] as const

describe('FLV tags that ffmpeg wrote', () => {
  for (const capture of CAPTURES) {
    const tags = new FlvReader().push(loadFlv(capture))

    it(`of ${capture} become the packets that ffprobe sees`, () => {
      const packets = readFileSync(new URL(`fixtures/${capture}.csv`, import.meta.url), 'latin1').trim()
      const units = demux(tags).units.map(({ track, pts, dts, data, keyframe }) => {
        const md5 = createHash('md5').update(data).digest('hex')
        return `${track.kind},${pts},${dts},${data.length},${keyframe ? 'K_' : '__'},MD5:${md5}`
      })
      expect(units.join('\n')).to.equal(packets)
    })

    it(`of ${capture} are written again byte by byte`, () => {
      const { tracks, units } = demux(tags)
      const configs = tracks.map((track) => flvConfigBody(track)?.toString('hex')).filter((hex) => hex !== undefined)
      const bodies = units.map((unit) => Buffer.concat([flvUnitHeader(unit), unit.data]).toString('hex'))
      // The end of the AVC sequence is not carried on.
      const bodiesRead = tags.filter(({ type, body }) => type !== 18 && body.readUInt16BE(0) !== 0x1702)
      expect([...configs, ...bodies]).to.have.members(bodiesRead.map(({ body }) => body.toString('hex')))
    })
  }
})

describe('flvConfigBody', () => {
  // As flvenc.c of ffmpeg 8 and gortmplib write it.
  const cases = [
    { codec: 'vp9', what: 'the vpcC box with its version and flags', head: '90 76703039 01000000' },
    { codec: 'flac', what: 'the bare STREAMINFO', head: '90 664c6143' },
    { codec: 'ac3', what: 'nothing', head: '90 61632d33' },
    { codec: 'eac3', what: 'nothing', head: '90 65632d33' },
  ] as const
  for (const { codec, what, head } of cases) {
    it(`of ${codec} has ${what} in it`, () => {
      const { init } = sampleTrack(codec)
      const body = Buffer.concat([fromHex(head), init.config.record])
      expect(flvConfigBody({ ...init, id: 0 })?.toString('hex')).to.equal(body.toString('hex'))
    })
  }
})

describe('flvUnitHeader', () => {
  const { init, keyframe } = sampleTrack('h264')

  function headerAt(timescale: number, dts: number, pts: number): string {
    const track = { ...init, timescale, id: 0 } as Track
    const unit = AccessUnit.fromData(track, dts, pts, true, keyframe)
    return `${unitTimestampMs(unit)} ${flvUnitHeader(unit).toString('hex')}`
  }

  it('turns ticks into milliseconds', () => {
    expect(headerAt(90_000, 90_000, 97_200)).to.equal('1000 1701000050')
    expect(headerAt(90_000, 3003, 0)).to.equal('33 1701ffffdf')
  })

  it('rounds pts, not the difference, so that presentation times stay apart evenly', () => {
    // 89 ticks are 0 ms, 91 are 1 ms.
    expect(headerAt(90_000, 89, 91)).to.equal('0 1701000001')
  })

  it('bounds cts to 24 bits', () => {
    expect(headerAt(1000, 0, 10_000_000)).to.equal('0 17017fffff')
    expect(headerAt(1000, 10_000_000, 0)).to.equal('10000000 1701800000')
  })

  it('is made once for audio, and again when its configuration changes', () => {
    const aac: Track = { ...sampleTrack('mp3').init, id: 0 }
    const headerOf = (track: Track) => flvUnitHeader(AccessUnit.fromData(track, 0, 0, true, Buffer.alloc(1)))
    expect(headerOf(aac)).to.equal(headerOf(aac))
    const other = { ...aac, config: { ...aac.config, sampleRate: 8000 } } as Track
    expect(headerOf(aac)).not.to.deep.equal(headerOf(other))
  })
})
