import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from '../../errors.ts'
import {
  audioUnit,
  dataOf,
  expectCapturedFrames,
  expectLossLosesOne,
  expectRoundTrip,
  fuzzDepacketizer,
  packetOf,
  packetsOf,
  pushAll,
  textOf,
} from '../fixtures/audio.ts'
import { loadCapture } from '../fixtures/captured.ts'
import type { RtpFormat } from '../format.ts'
import { Ac3Depacketizer } from './depacketizer.ts'
import type { Ac3Codec } from './frames.ts'
import { Ac3Packetizer } from './packetizer.ts'

function create(codec: Ac3Codec = 'ac3'): Ac3Depacketizer {
  return new Ac3Depacketizer(formatOf(codec))
}

function formatOf(codec: Ac3Codec): RtpFormat {
  const encodingName = codec === 'ac3' ? 'AC3' : 'EAC3'
  return { payloadType: 96, encodingName, clockRate: 48_000, channels: 2, parameters: new Map() }
}

/** AC-3 of ffmpeg, 32 kbit/s, 48 kHz and one channel: 128 bytes. */
function ac3Frame(fill: number): Buffer {
  return Buffer.concat([Buffer.from('0b77f41300402f84', 'hex'), Buffer.alloc(120, fill)])
}

/** E-AC-3 of ffmpeg, 48 kHz in stereo, six blocks, its size changed; `first` is 00 or, of a dependent stream, 40. */
function eac3Frame(sizeBytes: number, fill: number, first = 0): Buffer {
  const words = sizeBytes / 2 - 1
  const start = Buffer.from('0b7700003487c000', 'hex')
  start[2] = first | (words >> 8)
  start[3] = words & 0xff
  return Buffer.concat([start, Buffer.alloc(sizeBytes - start.length, fill)])
}

function payloadOf(type: number, count: number, ...data: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.of(type, count), ...data])
}

describe('Ac3Depacketizer', () => {
  for (const [name, count] of [
    ['ac3-gstreamer', 7],
    ['ac3-gstreamer-fragments', 5],
  ] as const) {
    it(`finds the frames in what was sent: ${name}`, () => {
      const frames = expectCapturedFrames(name, (format) => {
        const depacketizer = new Ac3Depacketizer(format)
        expect(depacketizer.config).to.equal(undefined)
        return depacketizer
      })
      expect(frames.length).to.equal(count)
      expect(frames[0]!.config).to.deep.include({ sampleRate: 48_000, channels: 1, codecString: 'ac-3' })
      expect(frames.slice(1).every(({ config }) => config === undefined)).to.equal(true)
    })
  }

  it('gives frames of a packet their times, which wrap', () => {
    const packet = packetOf(payloadOf(0, 2, ac3Frame(1), ac3Frame(2)), 2 ** 32 - 1000, true)
    expect(
      create()
        .push(packet, true)
        .map(({ timestamp }) => timestamp),
    ).to.eql([4294966296, 536])
  })

  it('keeps frames of E-AC-3 together that add channels', () => {
    const units = [Buffer.concat([eac3Frame(20, 1), eac3Frame(12, 2, 0x40)]), eac3Frame(16, 3)]
    const depacketizer = create('eac3')
    const frames = depacketizer.push(packetOf(payloadOf(0, 3, ...units), 0, true), true)
    expect(textOf(frames)).to.eql([`0 ${units[0]!.toString('hex')}`, `1536 ${units[1]!.toString('hex')}`])
    expect(frames[0]!.config).to.deep.include({ sampleRate: 48_000, channels: 2, codecString: 'ec-3' })
    expect(frames[1]!.config).to.equal(undefined)
  })

  it('takes no configuration of a frame of E-AC-3 that only adds channels', () => {
    const depacketizer = create('eac3')
    const frames = pushAll(depacketizer, [
      packetOf(payloadOf(0, 1, eac3Frame(20, 1, 0x40)), 0, true),
      packetOf(payloadOf(0, 1, eac3Frame(20, 2)), 1536, true),
    ])
    expect(frames.map(({ config }) => config !== undefined)).to.eql([false, true])
  })

  it('puts pieces of E-AC-3 together, which all have one type', () => {
    const frames = [eac3Frame(20, 1), eac3Frame(22, 2)]
    const packets = frames.flatMap((frame, index) => [
      packetOf(payloadOf(1, 2, frame.subarray(0, 12)), index * 1536, false),
      packetOf(payloadOf(1, 2, frame.subarray(12)), index * 1536, true),
    ])
    expect(pushAll(create('eac3'), packets).map(dataOf)).to.deep.equal(frames)
  })

  it('gives up a frame whose pieces do not follow each other', () => {
    const depacketizer = create()
    const frame = ac3Frame(1)
    const start = packetOf(payloadOf(1, 2, frame.subarray(0, 100)), 7, false)
    const end = packetOf(payloadOf(3, 2, frame.subarray(100)), 7, true)
    const late = { ...end, timestamp: 8 }
    expect(pushAll(depacketizer, [start, end]).map(dataOf)).to.deep.equal([frame])
    expect(pushAll(depacketizer, [end])).to.eql([])
    expect(pushAll(depacketizer, [start, late, end])).to.eql([])
    depacketizer.push(start, true)
    expect(depacketizer.push(end, false)).to.eql([])
    depacketizer.push(start, true)
    expect(() => depacketizer.push(packetOf(Buffer.alloc(2), 7, false), true)).to.throw(MalformedError)
    expect(depacketizer.push(end, true)).to.eql([])
    expect(pushAll(depacketizer, [start, end]).map(dataOf)).to.deep.equal([frame])
  })

  it('refuses what is no frame, or a part of one, or of the other codec', () => {
    const broken = [
      Buffer.alloc(0),
      Buffer.of(0, 1),
      payloadOf(0, 1, Buffer.alloc(20)),
      payloadOf(0, 1, ac3Frame(1).subarray(0, 127)),
      payloadOf(0, 2, ac3Frame(1), Buffer.alloc(3)),
      payloadOf(0, 1, eac3Frame(20, 1)),
      payloadOf(1, 2, Buffer.alloc(20)),
    ]
    for (const payload of broken) {
      expect(() => create().push(packetOf(payload, 0, true), true), payload.toString('hex')).to.throw(MalformedError)
    }
  })

  it('takes any bytes', () => {
    const payloads = loadCapture('ac3-gstreamer-fragments').packets.map(({ payload }) => payload)
    fuzzDepacketizer([...payloads.slice(0, 3), payloadOf(0, 1, ac3Frame(1))], create)
    const enhanced = [payloadOf(0, 2, eac3Frame(20, 1), eac3Frame(12, 2, 0x40)), payloadOf(1, 2, eac3Frame(20, 1))]
    fuzzDepacketizer(enhanced, () => create('eac3'))
  })
})

describe('Ac3Packetizer', () => {
  const send = (codec: Ac3Codec, data: Buffer, maxPayloadBytes: number) =>
    new Ac3Packetizer({ codec, maxPayloadBytes })
      .packetize(audioUnit(codec, data))
      .map(({ parts, marker }) => [...parts.map((part) => part.length), parts[0]!.toString('hex'), marker])

  const dependent = Buffer.concat([eac3Frame(60, 1), eac3Frame(40, 2, 0x40)])
  const CASES: readonly (readonly [name: string, codec: Ac3Codec, data: Buffer, limit: number, sent: unknown[]])[] = [
    ['a frame', 'ac3', ac3Frame(1), 130, [[2, 128, '0001', true]]],
    [
      'pieces, the first of five eighths',
      'ac3',
      ac3Frame(1),
      82,
      [
        [2, 80, '0102', false],
        [2, 48, '0302', true],
      ],
    ],
    [
      'pieces, the first of less',
      'ac3',
      ac3Frame(1),
      58,
      [
        [2, 56, '0203', false],
        [2, 56, '0303', false],
        [2, 16, '0303', true],
      ],
    ],
    ['frames of a unit', 'eac3', dependent, 102, [[2, 100, '0002', true]]],
    [
      'frames and pieces of a unit',
      'eac3',
      dependent,
      52,
      [
        [2, 50, '0102', false],
        [2, 10, '0102', true],
        [2, 40, '0001', true],
      ],
    ],
    ['nothing of an empty unit', 'ac3', Buffer.alloc(0), 100, []],
  ]
  for (const [name, codec, data, limit, sent] of CASES) {
    it(`sends ${name}: ${codec}`, () => expect(send(codec, data, limit)).to.eql(sent))
  }

  it('refuses what is not made of frames', () => {
    expect(() => send('ac3', Buffer.alloc(100), 1400)).to.throw(MalformedError)
  })

  it('is understood by the depacketizer', () => {
    const sizes = fc.integer({ min: 5, max: 2048 }).map((words) => words * 2)
    const enhanced = fc.tuple(sizes, fc.nat(255)).map(([size, fill]) => audioUnit('eac3', eac3Frame(size, fill)))
    const plain = fc.nat(255).map((fill) => audioUnit('ac3', ac3Frame(fill)))
    for (const [codec, unit] of [
      ['ac3', plain],
      ['eac3', enhanced],
    ] as const) {
      expectRoundTrip({
        packetizer: (maxPayloadBytes) => new Ac3Packetizer({ codec, maxPayloadBytes }),
        depacketizer: () => create(codec),
        unit,
        minPayloadBytes: 32,
      })
    }
  })

  it('loses no more than the frame of a lost packet', () => {
    const units = [1, 2, 3].map((fill) => audioUnit('ac3', ac3Frame(fill)))
    expectLossLosesOne(units, new Ac3Packetizer({ codec: 'ac3', maxPayloadBytes: 50 }), create)
  })

  it('sends what GStreamer sends of the same frames, up to the type of the first piece', () => {
    // GStreamer takes seven sixteenths for enough.
    const { format, packets } = loadCapture('ac3-gstreamer-fragments')
    const frames = pushAll(new Ac3Depacketizer(format), packets)
    const sent = frames.flatMap((frame) =>
      packetsOf(new Ac3Packetizer({ codec: 'ac3', maxPayloadBytes: 58 }).packetize(audioUnit('ac3', dataOf(frame))), 0),
    )
    const withoutType = (payload: Buffer) => payload.toString('hex', 1)
    expect(sent.map(({ payload }) => withoutType(payload))).to.eql(packets.map(({ payload }) => withoutType(payload)))
  })
})
