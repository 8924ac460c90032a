import { expect } from 'chai'
import * as fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { serializeAmf0 } from '../../amf/amf0.ts'
import { MalformedError } from '../../errors.ts'
import type { Track } from '../../track.ts'
import { fromHex, mutations, parsesOrRefuses } from './fixtures/bytes.ts'
import { RecordingSink } from './fixtures/recording-sink.ts'
import { RECORD, SAMPLE_TRACKS, sampleTrack } from './fixtures/tracks.ts'
import { FLV_MAX_TRACKS, FlvTagDemuxer } from './tag-demuxer.ts'

const AVC_HEADER = Buffer.concat([fromHex('17 00 000000'), RECORD.h264])
const AVC_KEYFRAME = fromHex('17 01 000000 00000002 6588')
const AAC_HEADER = Buffer.concat([fromHex('af 00'), RECORD.aac])
const AAC_FRAME = fromHex('af 01 21001f')
const OPUS_HEADER = Buffer.concat([fromHex('90 4f707573'), RECORD.opus])

function setUp(): { sink: RecordingSink; demuxer: FlvTagDemuxer } {
  const sink = new RecordingSink()
  return { sink, demuxer: new FlvTagDemuxer(sink) }
}

function withByte(bytes: Buffer, offset: number, byte: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[offset] = byte
  return changed
}

describe('FlvTagDemuxer', () => {
  it('declares a track by its sequence header, once', () => {
    const { sink, demuxer } = setUp()
    for (const timestampMs of [0, 40, 80]) demuxer.video(timestampMs, AVC_HEADER)
    for (const timestampMs of [0, 23, 46]) demuxer.audio(timestampMs, AAC_HEADER)
    expect(sink.tracks).to.deep.equal([
      { ...sampleTrack('h264').init, id: 0 },
      { ...sampleTrack('aac').init, id: 1 },
    ])
    expect(sink.configured).to.equal(0)
  })

  it('reconfigures a track whose header changed', () => {
    const { sink, demuxer } = setUp()
    demuxer.video(0, AVC_HEADER)
    const other = withByte(AVC_HEADER, 5 + 3, 0x1f)
    demuxer.video(40, other)
    demuxer.video(40, other)
    expect(sink.tracks).to.have.length(1)
    expect(sink.configured).to.equal(1)
    expect(sink.tracks[0]?.config.record).to.deep.equal(other.subarray(5))
  })

  it('replaces a track whose codec changed', () => {
    const { sink, demuxer } = setUp()
    demuxer.audio(0, AAC_HEADER)
    demuxer.audio(0, AAC_FRAME)
    demuxer.audio(23, OPUS_HEADER)
    demuxer.audio(23, fromHex('91 4f707573 fc'))
    expect(sink.tracks.map(({ codec }) => codec)).to.deep.equal(['aac', 'opus'])
    expect(sink.removed).to.deep.equal([sink.tracks[0]])
    expect(sink.units.map(({ track }) => track.codec)).to.deep.equal(['aac', 'opus'])
  })

  it('replaces a track when a codec without headers takes over', () => {
    const { sink, demuxer } = setUp()
    demuxer.audio(0, AAC_HEADER)
    demuxer.audio(23, fromHex('72 d5d5'))
    expect(sink.tracks.map(({ codec }) => codec)).to.deep.equal(['aac', 'pcma'])
    expect(sink.removed).to.have.length(1)
  })

  it('drops and counts units that no decoder could use', () => {
    const { sink, demuxer } = setUp()
    demuxer.video(0, AVC_KEYFRAME)
    demuxer.audio(0, AAC_FRAME)
    demuxer.audio(0, fromHex('2f 000000'))
    expect(demuxer.dropped).to.equal(3)
    demuxer.audio(0, AAC_HEADER)
    demuxer.audio(0, fromHex('af 01'))
    demuxer.audio(0, fromHex('91 4f707573 fc'))
    expect(demuxer.dropped).to.equal(5)
    expect(sink.units).to.deep.equal([])
  })

  it('counts and names codecs that it cannot carry', () => {
    const sink = new RecordingSink()
    const named: string[] = []
    const demuxer = new FlvTagDemuxer(sink, (codecName) => named.push(codecName))
    demuxer.audio(0, fromHex('b2 00'))
    demuxer.audio(20, fromHex('b2 00'))
    demuxer.video(0, fromHex('12 00'))
    expect(demuxer.dropped).to.equal(3)
    expect(named).to.deep.equal(['Speex', 'Sorenson H.263'])
    for (let i = 0; i < 100; i++) demuxer.video(0, Buffer.concat([fromHex('91'), Buffer.from(`x${i}  `.slice(0, 4))]))
    expect(named).to.have.length(16)
    expect(sink.tracks).to.deep.equal([])
  })

  it('passes over headers without content, seek commands, silence and ends of sequences', () => {
    const { sink, demuxer } = setUp()
    for (const hex of ['17 00 000000', '57 00', '', '17 02 000000', '90 68766331']) demuxer.video(0, fromHex(hex))
    for (const hex of ['af 00', '', '92 4f707573', '94 4f707573 00 02']) demuxer.audio(0, fromHex(hex))
    expect(sink.tracks).to.deep.equal([])
    expect(demuxer.dropped).to.equal(0)
  })

  it('keeps units as views into the body', () => {
    const { sink, demuxer } = setUp()
    demuxer.video(0, AVC_HEADER)
    demuxer.video(0, AVC_KEYFRAME)
    expect(sink.units[0]?.data).to.deep.equal(AVC_KEYFRAME.subarray(5))
    expect(sink.units[0]?.data.buffer).to.equal(AVC_KEYFRAME.buffer)
  })

  for (const [codec, offset, prefix] of [
    ['h264', 4, '17'],
    ['h265', 21, '1c'],
  ] as const) {
    it(`gives ${codec} lengths of 4 bytes when they are shorter`, () => {
      const { sink, demuxer } = setUp()
      const record = RECORD[codec]
      const shortened = withByte(record, offset, (record[offset]! & 0xfc) | 1)
      const copy = Buffer.from(shortened)
      demuxer.video(0, Buffer.concat([fromHex(`${prefix} 00 000000`), shortened]))
      demuxer.video(0, fromHex(`${prefix} 01 000000 0001 65 0002 4188`))
      expect(sink.tracks[0]?.config.record).to.deep.equal(record)
      expect(sink.units[0]?.data.toString('hex')).to.equal('0000000165000000024188')
      expect(shortened).to.deep.equal(copy)
    })
  }

  it('gives pictures in their form, however the encoder sends them', () => {
    const { sink, demuxer } = setUp()
    demuxer.video(0, AVC_HEADER)
    const picture = fromHex('00000002 6588')
    for (const sent of ['00000002 6588', '00000002 6588 0000', '00000003 6588', '00000001 6588', '000001 6588']) {
      demuxer.video(0, Buffer.concat([fromHex('17 01 000000'), fromHex(sent)]))
    }
    demuxer.video(0, fromHex('17 01 000000 000000ff 6588'))
    expect(sink.units.map(({ data }) => data)).to.eql(Array(5).fill(picture))
    expect(demuxer.dropped).to.equal(1)
  })

  it('takes the tracks of a multitrack tag apart', () => {
    const { sink, demuxer } = setUp()
    demuxer.audio(
      0,
      fromHex(
        `95 20 6d703461 00 000005 ${RECORD.aac.toString('hex')} 4f707573 03 000013 ${RECORD.opus.toString('hex')}`,
      ),
    )
    demuxer.audio(20, fromHex('95 21 6d703461 00 000001 21 4f707573 03 000001 fc'))
    expect(sink.tracks.map(({ codec, layer }) => [codec, layer])).to.deep.equal([
      ['aac', undefined],
      ['opus', '3'],
    ])
    expect(sink.units.map(({ track, data }) => [track.id, data.toString('hex')])).to.deep.equal([
      [0, '21'],
      [1, 'fc'],
    ])
  })

  it('takes the size of VP9 and VP8 from keyframes, when it changes too', () => {
    const { sink, demuxer } = setUp()
    const { keyframe } = sampleTrack('vp8')
    const vp8 = (frame: Buffer) => demuxer.video(0, Buffer.concat([fromHex('91 76703038'), frame]))
    vp8(keyframe)
    vp8(keyframe)
    expect(sink.tracks[0]?.config).to.include({ width: 64, height: 48 })
    expect(sink.configured).to.equal(0)
    vp8(withByte(keyframe, 6, 80))
    expect(sink.tracks[0]?.config).to.include({ width: 80, height: 48 })
    demuxer.video(0, Buffer.concat([fromHex('90 76703039'), RECORD.vp9]))
    expect(sink.tracks[1]?.config).to.include({ width: 0, height: 0 })
    demuxer.video(0, Buffer.concat([fromHex('91 76703039'), sampleTrack('vp9').keyframe]))
    expect(sink.tracks[1]?.config).to.include({ width: 64, height: 48 })
    expect(sink.units).to.have.length(4)
  })

  it('starts AV1 and VP9 at a keyframe when there was no header', () => {
    for (const [codec, fourCc] of [
      ['av1', '61763031'],
      ['vp9', '76703039'],
    ] as const) {
      const { sink, demuxer } = setUp()
      const { keyframe, frame } = sampleTrack(codec)
      demuxer.video(0, Buffer.concat([fromHex(`a1 ${fourCc}`), frame]))
      demuxer.video(40, Buffer.concat([fromHex(`91 ${fourCc}`), keyframe]))
      expect(demuxer.dropped).to.equal(1)
      expect(sink.tracks[0]).to.deep.include({ codec, timescale: 1000 })
      expect(sink.tracks[0]?.config).to.include({ width: 64, height: 48 })
      expect(sink.units).to.have.length(1)
    }
  })

  it('takes the temporal delimiter from AV1', () => {
    const { sink, demuxer } = setUp()
    demuxer.video(0, Buffer.concat([fromHex('91 61763031 1200'), sampleTrack('av1').keyframe]))
    expect(sink.units[0]?.data).to.deep.equal(sampleTrack('av1').keyframe)
  })

  it('takes Opus without a header for stereo', () => {
    const { sink, demuxer } = setUp()
    demuxer.audio(0, fromHex('90 4f707573'))
    demuxer.audio(0, fromHex('90 4f707573'))
    expect(sink.tracks).to.have.length(1)
    expect(sink.tracks[0]?.config).to.include({ channels: 2, sampleRate: 48_000 })
  })

  it('keeps the fields of the last onMetaData', () => {
    const { demuxer } = setUp()
    expect(demuxer.metadata).to.equal(null)
    demuxer.script(serializeAmf0(['@setDataFrame', 'onMetaData', new Map([['encoder', 'x']])]))
    demuxer.script(serializeAmf0(['onCuePoint', { a: 1 }]))
    expect(demuxer.metadata).to.include({ encoder: 'x' })
  })

  it('refuses broken sequence headers', () => {
    const { demuxer } = setUp()
    expect(() => demuxer.video(0, AVC_HEADER.subarray(0, 15))).to.throw(MalformedError)
    expect(() => demuxer.audio(0, fromHex('af 00 ff'))).to.throw(MalformedError)
  })

  it('limits the number of tracks', () => {
    const { sink, demuxer } = setUp()
    expect(() => {
      for (let id = 0; id < 0x100; id++)
        demuxer.audio(id, Buffer.concat([fromHex('95 00 4f707573'), Buffer.of(id), RECORD.opus]))
    }).to.throw(MalformedError, 'tracks')
    expect(sink.tracks).to.have.length(FLV_MAX_TRACKS)
  })

  it('follows a source that changes its codec again and again', () => {
    const { sink, demuxer } = setUp()
    for (let i = 0; i < 100; i++) demuxer.audio(i, fromHex(i % 2 === 0 ? '72 d5' : '82 ff'))
    expect(sink.units).to.have.length(100)
  })

  it('takes any bodies or refuses them', () => {
    const bodies = SAMPLE_TRACKS.flatMap(({ init, keyframe }) => [headerOf(init.codec), keyframe])
    const seeds = [AVC_HEADER, AVC_KEYFRAME, AAC_HEADER, AAC_FRAME, OPUS_HEADER, ...bodies]
    const step = fc.tuple(fc.constantFrom('video', 'audio', 'script'), mutations(seeds))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        const { sink, demuxer } = setUp()
        for (const [kind, body] of steps) {
          parsesOrRefuses(() => (kind === 'script' ? demuxer.script(body) : demuxer[kind](0, body)))
        }
        expect(sink.units.length + demuxer.dropped).to.be.at.most(steps.length * 16)
      }),
      { numRuns: rounds(1000) },
    )
  })
})

/** An enhanced sequence start or first frame, whichever the codec has. */
function headerOf(codec: Track['codec']): Buffer {
  const fourCc: Partial<Record<Track['codec'], string>> = {
    av1: 'av01',
    vp9: 'vp09',
    h265: 'hvc1',
    flac: 'fLaC',
  }
  const record = codec in RECORD ? RECORD[codec as keyof typeof RECORD] : Buffer.alloc(0)
  return Buffer.concat([fromHex('90'), Buffer.from(fourCc[codec] ?? 'vp08'), record])
}
