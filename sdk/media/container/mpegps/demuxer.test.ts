import { expect } from 'chai'
import * as fc from 'fast-check'
import { randomNumbers } from '../../../../test/support/random-numbers.ts'
import { rounds } from '../../../../test/support/soak.ts'
import { MalformedError } from '../../errors.ts'
import { RecordingSink } from '../flv/fixtures/recording-sink.ts'
import { PES_CLOCK_RANGE } from '../pes/clock.ts'
import { PsDemuxer } from './demuxer.ts'
import * as device from './fixtures/device.ts'
import { PS_MAX_SKIPPED_BYTES } from './packet-reader.ts'

const { adts, annexB, AUDIO_ID, g711, map, pack, pes, systemHeader, VIDEO, VIDEO_ID } = device

const STEP = 3600
const PICTURES = 6
const CODECS = ['h264', 'h265'] as const
type Codec = (typeof CODECS)[number]
const TYPE = { h264: 0x1b, h265: 0x24 } as const

/** A picture as NAL units, without parameter sets: every third is a keyframe. */
function picture(codec: Codec, index: number, sizeBytes = 20): Buffer[] {
  const { key, delta } = VIDEO[codec]
  return [index % 3 === 0 ? key(index, sizeBytes) : delta(index, sizeBytes)]
}

function withSets(codec: Codec, index: number, nalus = picture(codec, index)): Buffer {
  return annexB(...(index % 3 === 0 ? VIDEO[codec].sets : []), ...nalus)
}

/** A pack with a picture, and a map before keyframes. */
function packOf(codec: Codec, index: number, data = withSets(codec, index)): Buffer {
  const head = index % 3 === 0 ? [systemHeader(), map({ [VIDEO_ID]: TYPE[codec] })] : []
  return Buffer.concat([pack(index * STEP), ...head, pes(VIDEO_ID, data, { pts: index * STEP })])
}

function demux(parts: readonly Buffer[], atOnce = true): { sink: RecordingSink; demuxer: PsDemuxer } {
  const sink = new RecordingSink()
  const demuxer = new PsDemuxer(sink)
  for (const part of parts) {
    if (atOnce) demuxer.push(part)
    else for (const byte of part) demuxer.push(Buffer.of(byte))
  }
  demuxer.flush()
  return { sink, demuxer }
}

const indices = Array.from({ length: PICTURES }, (_, index) => index)

/** What a picture's unit holds: its slices, each with its length before it. */
function lengthPrefixed(nalus: readonly Buffer[]): Buffer {
  return Buffer.concat(
    nalus.flatMap((nalu) => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(nalu.length)
      return [length, nalu]
    }),
  )
}

type Case = {
  readonly name: string
  /** The stream; by default with the usual pictures. */
  readonly parts: (codec: Codec) => Buffer[]
  readonly nalus?: (codec: Codec, index: number) => Buffer[]
  readonly times?: (index: number) => readonly [dts: number, pts: number]
}

const CASES: readonly Case[] = [
  {
    name: 'delimiters in packets of their own, which alone have the times',
    parts: (codec) =>
      indices.map((index) => {
        const delimiter = pes(VIDEO_ID, annexB(VIDEO[codec].delimiter), { pts: index * STEP })
        return Buffer.concat([pack(index * STEP), delimiter, pes(VIDEO_ID, withSets(codec, index))])
      }),
  },
  { name: 'with all that the standard asks for', parts: (codec) => indices.map((index) => packOf(codec, index)) },
  {
    name: 'without a map, and with an odd stream id',
    parts: (codec) => indices.map((index) => concat(pack(), pes(0xe2, withSets(codec, index), { pts: index * STEP }))),
  },
  {
    name: 'with a map that says the other codec',
    parts: (codec) =>
      indices.map((index) => {
        const other = codec === 'h264' ? TYPE.h265 : TYPE.h264
        return concat(pack(), map({ [VIDEO_ID]: other }), pes(VIDEO_ID, withSets(codec, index), { pts: index * STEP }))
      }),
  },
  {
    name: 'with a map and a pack once',
    parts: (codec) => [
      concat(pack(), systemHeader(), map({ [VIDEO_ID]: TYPE[codec] })),
      ...indices.map((index) => pes(VIDEO_ID, withSets(codec, index), { pts: index * STEP })),
    ],
  },
  {
    name: 'with a packet for each NAL unit',
    parts: (codec) =>
      indices.map((index) => {
        const nalus = [...(index % 3 === 0 ? VIDEO[codec].sets : []), ...picture(codec, index)]
        return concat(pack(), ...nalus.map((nalu) => pes(VIDEO_ID, annexB(nalu), { pts: index * STEP })))
      }),
  },
  {
    name: 'with several slices, each in a pack of its own',
    nalus: slices,
    parts: (codec) =>
      indices.map((index) => {
        const [first, ...rest] = slices(codec, index)
        const more = rest.map((nalu) => concat(pack(), pes(VIDEO_ID, annexB(nalu), { pts: index * STEP })))
        return concat(packOf(codec, index, withSets(codec, index, [first!])), ...more)
      }),
  },
  {
    name: 'cut anywhere into packets, of which the first that a picture begins in has its time',
    parts: (codec) => {
      const all = indices.map((index) => withSets(codec, index))
      const starts = all.map((_, index) => all.slice(0, index).reduce((sum, { length }) => sum + length, 0))
      const bytes = Buffer.concat(all)
      const parts = [pack()]
      for (let at = 0; at < bytes.length; at += 31) {
        const index = starts.findIndex((start) => start >= at && start < at + 31)
        parts.push(pes(VIDEO_ID, bytes.subarray(at, at + 31), { pts: index < 0 ? undefined : index * STEP }))
      }
      return parts
    },
  },
  {
    name: 'with packets of length 0',
    parts: (codec) =>
      indices.map((index) => concat(pack(), pes(VIDEO_ID, withSets(codec, index), { pts: index * STEP, length: 0 }))),
  },
  {
    name: 'in packets of 65,535 bytes',
    nalus: (codec, index) => picture(codec, index, 200_000),
    parts: (codec) =>
      indices.map((index) => {
        const data = withSets(codec, index, picture(codec, index, 200_000))
        const rest = []
        for (let at = 65_524; at < data.length; at += 65_532) rest.push(pes(VIDEO_ID, data.subarray(at, at + 65_532)))
        return concat(pack(), pes(VIDEO_ID, data.subarray(0, 65_524), { pts: index * STEP }), ...rest)
      }),
  },
  {
    name: 'in packets that are longer than the 65,535 bytes that they state',
    nalus: (codec, index) => picture(codec, index, 200_000),
    parts: (codec) =>
      indices.map((index) => {
        const data = withSets(codec, index, picture(codec, index, 200_000))
        return concat(pack(), pes(VIDEO_ID, data, { pts: index * STEP, length: 65_535 }))
      }),
  },
  {
    name: 'with stuffing in packs and packets, and padding between',
    parts: (codec) =>
      indices.map((index) =>
        concat(
          pack(0, index % 8),
          Buffer.from('000001be0003ffffff', 'hex'),
          pes(VIDEO_ID, withSets(codec, index), { pts: index * STEP, stuffing: index }),
          Buffer.from('000001bf000201e0', 'hex'),
        ),
      ),
  },
  {
    name: 'with private data between',
    parts: (codec) =>
      indices.flatMap((index) => [packOf(codec, index), pes(0xbd, Buffer.alloc(40, index), { pts: index * STEP })]),
  },
  {
    name: 'with bytes between that are no packets',
    parts: (codec) => indices.flatMap((index) => [packOf(codec, index), Buffer.from('0000000000020304', 'hex')]),
  },
  {
    name: 'with delimiters, and a pack before each packet',
    parts: (codec) =>
      indices.map((index) => {
        const sets = index % 3 === 0 ? VIDEO[codec].sets : []
        const nalus = [VIDEO[codec].delimiter, ...sets, ...picture(codec, index)]
        return concat(pack(), pes(VIDEO_ID, annexB(...nalus), { pts: index * STEP }), Buffer.from('000001b9', 'hex'))
      }),
  },
  {
    name: 'with B-frames, by their decoding times',
    parts: (codec) =>
      indices.map((index) =>
        concat(pack(), pes(VIDEO_ID, withSets(codec, index), { pts: (index + 2) * STEP, dts: index * STEP })),
      ),
    times: (index) => [index * STEP, (index + 2) * STEP],
  },
  {
    name: 'over the wrap of 33 bits',
    parts: (codec) =>
      indices.map((index) => concat(pack(), pes(VIDEO_ID, withSets(codec, index), { pts: nearWrap(index) }))),
    times: (index) => [nearWrap(index), nearWrap(index)],
  },
  {
    name: 'without times in packets, by the clocks of the packs',
    parts: (codec) => indices.map((index) => concat(pack(index * STEP), pes(VIDEO_ID, withSets(codec, index)))),
  },
]

function slices(codec: Codec, index: number): Buffer[] {
  const { keyRest, deltaRest } = VIDEO[codec]
  const rest = index % 3 === 0 ? keyRest : deltaRest
  return [...picture(codec, index), rest(index), rest(index + 1)]
}

function alike(index: number): readonly [dts: number, pts: number] {
  return [index * STEP, index * STEP]
}

function nearWrap(index: number): number {
  return (PES_CLOCK_RANGE - 2 * STEP + index * STEP) % PES_CLOCK_RANGE
}

function concat(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts)
}

describe('PsDemuxer', () => {
  for (const codec of CODECS) {
    for (const { name, parts, nalus = picture, times = alike } of CASES) {
      it(`reads ${codec} ${name}`, () => {
        const stream = parts(codec)
        const { sink, demuxer } = demux(stream)
        expect(sink.tracks.map((track) => track.codec)).to.eql([codec])
        expect(sink.units.map(({ dts, pts }) => [dts, pts])).to.eql(indices.map((index) => [...times(index)]))
        expect(sink.units.map(({ keyframe }) => keyframe)).to.eql(indices.map((index) => index % 3 === 0))
        for (const index of indices) {
          expect(sink.units[index]!.data.equals(lengthPrefixed(nalus(codec, index))), `picture ${index}`).to.equal(true)
        }
        expect([demuxer.dropped, demuxer.losses, sink.lostUnits]).to.eql([0, 0, 0])
        const slow = Buffer.concat(stream)
        if (slow.length > 20_000) return
        const bytewise = demux([slow], false).sink.units
        expect(bytewise.map(({ dts, data }) => [dts, data.toString('hex')])).to.eql(
          sink.units.map(({ dts, data }) => [dts, data.toString('hex')]),
        )
      })
    }
  }

  for (const { name, type, data, codec } of [
    { name: 'AAC', type: 0x0f, data: adts, codec: 'aac' },
    { name: 'A-law', type: 0x90, data: g711, codec: 'pcma' },
    { name: 'µ-law', type: 0x91, data: g711, codec: 'pcmu' },
    { name: 'AAC that a map calls A-law', type: 0x90, data: adts, codec: 'aac' },
    { name: 'AAC without a map', type: undefined, data: adts, codec: 'aac' },
    { name: 'A-law without a map', type: undefined, data: g711, codec: 'pcma' },
  ] as const) {
    it(`reads ${name} beside pictures`, () => {
      const maps = type === undefined ? [] : [map({ [VIDEO_ID]: TYPE.h264, [AUDIO_ID]: type })]
      const parts = indices.map((index) =>
        concat(
          pack(),
          ...maps,
          pes(VIDEO_ID, withSets('h264', index), { pts: index * STEP }),
          pes(AUDIO_ID, data(index + 1), { pts: index * STEP + 900 }),
        ),
      )
      const { sink } = demux(parts)
      expect(sink.tracks.map((track) => track.codec)).to.have.members(['h264', codec])
      const sound = sink.units.filter(({ track }) => track.kind === 'audio')
      expect(sound.map(({ pts }) => pts)).to.eql(indices.map((index) => index * STEP + 900))
      expect(sink.units.filter(({ track }) => track.kind === 'video')).to.have.length(PICTURES)
    })
  }

  it('names the streams that it leaves out', () => {
    const types = { [VIDEO_ID]: 0x80, [AUDIO_ID]: 0x93, 0xc1: 0x99, 0xc2: 0xa7 }
    const packets = Object.keys(types).map((id) => pes(Number(id), withSets('h264', 0), { pts: 0 }))
    const scrambled = pes(0xe1, withSets('h264', 0), { pts: 0, scrambled: true })
    const { sink, demuxer } = demux([concat(pack(), map(types), ...packets, scrambled)])
    const names = ['SVAC video', 'G.723.1', 'G.729', 'stream type 0xa7', 'scrambled']
    expect([...demuxer.unsupported]).to.have.members(names)
    expect(sink.tracks).to.eql([])
  })

  it('changes the track where a device is set to another codec', () => {
    const first = indices.map((index) => packOf('h264', index))
    const second = indices.map((index) => packOf('h265', index + PICTURES))
    const { sink } = demux([...first, ...second])
    expect(sink.tracks.map(({ codec }) => codec)).to.eql(['h264', 'h265'])
    expect(sink.removed.map(({ codec }) => codec)).to.eql(['h264'])
    expect(sink.units.map(({ track }) => track.codec)).to.eql([
      ...indices.map(() => 'h264'),
      ...indices.map(() => 'h265'),
    ])
  })

  it('begins at the first parameter sets', () => {
    const { sink } = demux(indices.map((index) => packOf('h264', index + 1, annexB(...picture('h264', index + 1)))))
    expect(sink.tracks).to.eql([])
    const late = demux([1, 2, 3, 4].map((index) => packOf('h264', index))).sink
    expect(late.units.map(({ dts }) => dts)).to.eql([3 * STEP, 4 * STEP])
  })

  describe('where bytes are lost', () => {
    it('drops what has come in part, tells it, and goes on at the next pack', () => {
      const parts = indices.map((index) => packOf('h264', index))
      const sink = new RecordingSink()
      const demuxer = new PsDemuxer(sink)
      for (const [index, part] of parts.entries()) {
        if (index !== 2) demuxer.push(part)
        else {
          demuxer.push(part.subarray(0, 30))
          demuxer.lost()
          demuxer.push(part.subarray(40))
        }
      }
      demuxer.flush()
      // The picture before was complete, but what shows that is among the lost.
      expect(sink.units.map(({ dts }) => dts / STEP)).to.eql([0, 3, 4, 5])
      expect([sink.lostUnits, demuxer.losses]).to.eql([1, 1])
    })

    it('gives no unit that is not whole, whichever packets are missing', () => {
      const random = randomNumbers(7)
      const wanted = new Set(indices.map((index) => lengthPrefixed(slices('h264', index)).toString('hex')))
      const stream = indices.map((index) => {
        const [first, ...rest] = slices('h264', index)
        return concat(
          packOf('h264', index, withSets('h264', index, [first!])),
          ...rest.map((nalu) => pes(VIDEO_ID, annexB(nalu))),
        )
      })
      const bytes = Buffer.concat(stream)
      for (let round = 0; round < rounds(300); round++) {
        const sink = new RecordingSink()
        const demuxer = new PsDemuxer(sink)
        for (let at = 0; at < bytes.length; at += 37) {
          if (random() < 0.05) demuxer.lost()
          else demuxer.push(bytes.subarray(at, at + 37))
        }
        for (const { data } of sink.units) expect(wanted.has(data.toString('hex'))).to.equal(true)
      }
    })
  })

  describe('where ends of pictures are told', () => {
    const many = Array.from({ length: 40 }, (_, index) => packOf('h264', index))

    /** Returns after which part each picture was given out. */
    function delays(parts: readonly Buffer[], isTold: (index: number) => boolean): number[] {
      const sink = new RecordingSink()
      const demuxer = new PsDemuxer(sink)
      const found: number[] = []
      for (const [index, part] of parts.entries()) {
        demuxer.push(part)
        if (isTold(index)) demuxer.unitEnds()
        while (found.length < sink.units.length) found.push(index)
      }
      expect(sink.lostUnits).to.equal(0)
      return found
    }

    it('holds none back once they were told rightly', () => {
      const found = delays(many, () => true)
      expect(found.slice(0, 4)).to.eql([1, 2, 3, 4])
      expect(found.slice(-4)).to.eql([36, 37, 38, 39])
    })

    it('waits for the next picture where they are not told, or told within pictures', () => {
      expect(delays(many, () => false).slice(-2)).to.eql([38, 39])
      const halves = many.flatMap((_, index) => {
        const [first, ...rest] = slices('h264', index)
        return [
          packOf('h264', index, withSets('h264', index, [first!])),
          concat(pack(), pes(VIDEO_ID, annexB(...rest))),
        ]
      })
      const sink = demuxHalves(halves)
      expect(sink.units.every(({ nalus }) => nalus.length === 3)).to.equal(true)
      expect(sink.units).to.have.length(40)
    })

    it('trusts them no more after a picture that went on', () => {
      const sink = new RecordingSink()
      const demuxer = new PsDemuxer(sink)
      const parts = many.map((part, index) => ({ part, rest: index === 20 }))
      for (const { part, rest } of parts) {
        demuxer.push(part)
        demuxer.unitEnds()
        if (!rest) continue
        demuxer.push(concat(pack(), pes(VIDEO_ID, annexB(VIDEO.h264.deltaRest(1)))))
        demuxer.unitEnds()
      }
      expect(sink.lostUnits).to.equal(1)
      expect(sink.units.at(-1)!.dts).to.equal(38 * STEP)
    })

    function demuxHalves(halves: readonly Buffer[]): RecordingSink {
      const sink = new RecordingSink()
      const demuxer = new PsDemuxer(sink)
      for (const half of halves) {
        demuxer.push(half)
        demuxer.unitEnds()
      }
      demuxer.flush()
      return sink
    }
  })

  it('refuses what is no program stream, and can go on with one', () => {
    const sink = new RecordingSink()
    const demuxer = new PsDemuxer(sink)
    const noise = Buffer.alloc(64 * 1024, 0x41)
    const pushAll = () => {
      for (let at = 0; at <= PS_MAX_SKIPPED_BYTES; at += noise.length) demuxer.push(noise)
    }
    expect(pushAll).to.throw(MalformedError, /no packet/u)
    for (const index of indices) demuxer.push(packOf('h264', index))
    expect(sink.units).to.have.length(PICTURES - 1)
  })

  it('is not impressed by any bytes', () => {
    const good = Buffer.concat(
      indices.map((index) => concat(packOf('h264', index), pes(AUDIO_ID, adts(index), { pts: index * STEP }))),
    )
    const edits = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 12 })
    const property = fc.property(edits, fc.integer({ min: 1, max: 200 }), fc.boolean(), (changes, chunk, told) => {
      const bytes = Buffer.from(good)
      for (const [at, value] of changes) bytes[at] = value
      const demuxer = new PsDemuxer(new RecordingSink())
      for (let at = 0; at < bytes.length; at += chunk) {
        demuxer.push(bytes.subarray(at, at + chunk))
        if (told) demuxer.unitEnds()
      }
      demuxer.lost()
      demuxer.flush()
    })
    fc.assert(property, { numRuns: rounds(300) })
  })
})
