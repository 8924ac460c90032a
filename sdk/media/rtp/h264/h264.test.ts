import { expect } from 'chai'
import fc from 'fast-check'
import { h264Config, h264ConfigFromParameterSets } from '../../codec/h264/config.ts'
import { H264_NALU_TYPE, h264NaluType } from '../../codec/h264/nalu-type.ts'
import { MAX_ACCESS_UNIT_SIZE_BYTES, MAX_NALUS_PER_ACCESS_UNIT, splitAnnexB } from '../../codec/nalu.ts'
import { fuzz } from '../../codec/test/fuzz.ts'
import { MalformedError } from '../../errors.ts'
import { loadCapture, loadLines } from '../fixtures/capture.ts'
import { depacketize, formatOf, fromHex, hexOf, packetOf, packetsOf, sent } from '../fixtures/packets.ts'
import { trackOf, unitOf } from '../fixtures/packets.ts'
import { MAX_PACKETS_PER_ACCESS_UNIT } from '../limits.ts'
import { H264Depacketizer } from './depacketizer.ts'
import { H264Packetizer } from './packetizer.ts'

const MAX_PAYLOAD_BYTES = 32
const A = 'aa'.repeat(28)

/** Access units and their payloads (RFC 6184 5.6 to 5.8) of at most 32 bytes. */
const CASES: readonly { name: string; nalus: readonly string[]; payloads: readonly string[] }[] = [
  { name: 'a single NAL unit', nalus: ['419a01'], payloads: ['419a01'] },
  { name: 'two slices', nalus: ['6588aa', '6544bb'], payloads: ['6588aa', '6544bb'] },
  { name: 'STAP-A of sets', nalus: ['6742c0', '68ce', '6588'], payloads: ['78 0003 6742c0 0002 68ce', '6588'] },
  {
    name: 'STAP-A of sets and SEI of the highest NRI, with F of any',
    nalus: ['2742c0', '48ce', '860680', '6588'],
    payloads: ['d8 0003 2742c0 0002 48ce 0003 860680', '6588'],
  },
  { name: 'a small one alone before a slice', nalus: ['0605aa', '419a'], payloads: ['0605aa', '419a'] },
  { name: 'as many in STAP-A as fit', nalus: [`67${A}`, '68ce', '6588'], payloads: [`67${A}`, '68ce', '6588'] },
  { name: 'the largest single NAL unit', nalus: [`6588${A}aaaa`], payloads: [`6588${A}aaaa`] },
  {
    name: 'FU-A of two fragments',
    nalus: [`6588${A}bbbbbb`],
    payloads: [`7c85 88${A}bb`, '7c45 bbbb'],
  },
  {
    name: 'FU-A of three fragments and another slice',
    nalus: [`4188${A}bb${A}cccc dd`, '4144'],
    payloads: [`5c81 88${A}bb`, `5c01 ${A}cccc`, '5c41 dd', '4144'],
  },
]

/** Packets, the frames that they make, and how many of these are there before the first packet of another picture. */
const STREAMS: readonly { name: string; packets: readonly string[]; frames: readonly string[] }[] = [
  {
    name: 'pictures ended by markers',
    packets: ['1! 6588', '2! 419a', '3! 419b'],
    frames: ['1 6588', '2 419a', '3 419b'],
  },
  {
    name: 'pictures ended by time',
    packets: ['1 6588', '1 6544', '2 419a', '3 419b'],
    frames: ['1 6588 6544', '2 419a'],
  },
  {
    name: 'markers on every slice',
    packets: ['1! 6588', '1! 6544', '2! 419a', '2! 4144', '3! 419b'],
    frames: ['1 6588 6544', '2 419a 4144'],
  },
  {
    name: 'markers on every slice, which the second picture shows: its rest is dropped',
    packets: ['1! 6588', '2! 419a', '2! 4144', '3! 419b', '3! 4145', '4! 419c'],
    frames: ['1 6588', '2 419a', '3 419b 4145'],
  },
  {
    name: 'two pictures of one time',
    packets: ['1! 6588', '1! 419a', '1! 419b'],
    frames: ['1 6588', '1 419a', '1 419b'],
  },
  {
    name: 'a marker on every packet',
    packets: ['1! 6742', '1! 68ce', '1! 6588', '2! 419a'],
    frames: ['1 6742 68ce 6588', '2 419a'],
  },
  {
    name: 'parameter sets of a time of their own',
    packets: ['1! 6742', '2 68ce', '2! 0601', '3! 6588', '4! 419a'],
    frames: ['3 6742 68ce 6588', '4 419a'],
  },
  {
    name: 'no framing',
    packets: ['1 09f0', '1 6588', '1 0b', '1! 0c80', '2 09f0', '2! 419a'],
    frames: ['1 6588', '2 419a'],
  },
  {
    name: 'no framing out of STAP-A',
    packets: ['1! 780002 09f0 0002 6588 0000 0001 0a', '2! 419a'],
    frames: ['1 6588', '2 419a'],
  },
  {
    name: 'start codes between NAL units',
    packets: ['1! 6742 00000001 68ce 000001 6588', '2! 00000001 419a'],
    frames: ['1 6742 68ce 6588', '2 419a'],
  },
  {
    name: 'start codes within fragments',
    packets: ['1 7c87 420000', '1! 7c47 0168ce0000016588', '2! 419a'],
    frames: ['1 6742 68ce 6588', '2 419a'],
  },
  { name: 'a whole NAL unit in FU-A', packets: ['1! 7cc5 88', '2! 419a'], frames: ['1 6588', '2 419a'] },
  {
    name: 'a fragment without bytes',
    packets: ['1 7c85 88', '1 7c05', '1! 7c45 aa', '2! 419a'],
    frames: ['1 6588aa', '2 419a'],
  },
  {
    name: 'packets without payload',
    packets: ['1 6588', '9', '1! 6544', '1!', '2! 419a'],
    frames: ['1 6588 6544', '2 419a'],
  },
  {
    name: 'no picture of a NAL unit without end',
    packets: ['1! 6588', '2 5c81 88', '3! 419a'],
    frames: ['1 6588', '3 419a'],
  },
  {
    name: 'no picture of which one slice has no end before the next time',
    packets: ['1! 6588', '2 419a', '2! 5c81 44', '3! 419b'],
    frames: ['1 6588', '3 419b'],
  },
  {
    name: 'no picture of which one slice has no end before another',
    packets: ['1! 6588', '2 419a', '2 5c81 44', '2! 4145', '3! 419b'],
    frames: ['1 6588', '3 419b'],
  },
  {
    name: 'no picture of which one slice has no begin',
    packets: ['1! 6588', '2 419a', '2! 5c01 44', '3! 419b'],
    frames: ['1 6588', '3 419b'],
  },
  {
    name: 'no end of a picture within a NAL unit',
    packets: ['1! 6588', '2 419a', '2! 5c81 44', '2 5c41 aa', '3! 419b'],
    frames: ['1 6588', '2 419a 4144aa', '3 419b'],
  },
  {
    name: 'no unspecified types',
    packets: ['1 008001', '1 7c9e 80', '1! 7c5e 80', '1! 6588', '2! 419a'],
    frames: ['1 6588', '2 419a'],
  },
]

const SETS = splitAnnexB(Buffer.concat(loadLines('h264'))).slice(1, 3)
const [SPS, PPS] = SETS as [Buffer, Buffer]
const OTHER_SPS = fromHex('6742c00cd901419f9f011000000300100000030320f142a480')
const CONFIG = h264ConfigFromParameterSets(SPS, PPS)
const sprop = (value: string) => formatOf({ 'packetization-mode': '1', 'sprop-parameter-sets': value })
const SPROP = SETS.map((set) => set.toString('base64')).join(',')

function newDepacketizer(): H264Depacketizer {
  return new H264Depacketizer(formatOf())
}

/** As `STREAMS` has frames. A broken packet gives none. */
function framesOf(lines: readonly string[]): string[] {
  const depacketizer = newDepacketizer()
  return packetsOf(lines).flatMap((packet) => {
    try {
      return depacketizer.push(packet, true).map((frame) => `${frame.timestamp} ${hexOf(frame).join(' ')}`)
    } catch (error) {
      expect(error).to.be.instanceOf(MalformedError)
      return []
    }
  })
}

/** What the encoder wrote, without framing. */
function encodedNalus(): string[] {
  const nalus = splitAnnexB(Buffer.concat(loadLines('h264')))
  return nalus
    .filter((nalu) => h264NaluType(nalu) !== H264_NALU_TYPE.ACCESS_UNIT_DELIMITER)
    .map((nalu) => nalu.toString('hex'))
}

describe('H264Packetizer', () => {
  const track = trackOf('h264')

  for (const { name, nalus, payloads } of CASES) {
    it(`writes ${name}`, () => {
      const unit = unitOf(track, false, nalus.map(fromHex))
      const packets = new H264Packetizer({ maxPayloadBytes: MAX_PAYLOAD_BYTES }).packetize(unit)
      const written = packets.map(({ parts }) => Buffer.concat(parts).toString('hex'))
      expect(written).to.deep.equal(payloads.map((payload) => payload.replaceAll(' ', '')))
      expect(packets.map(({ sizeBytes }) => sizeBytes)).to.deep.equal(written.map((hex) => hex.length / 2))
      expect(packets.map(({ marker }) => marker)).to.deep.equal(
        payloads.map((_, index) => index === payloads.length - 1),
      )
    })
  }

  it('puts the sets of the track before keyframes that have none', () => {
    const packetizer = new H264Packetizer({ maxPayloadBytes: 1000 })
    const configured = trackOf('h264', CONFIG)
    const nalusOf = (keyframe: boolean, nalus: readonly string[], of = configured) => {
      const packets = packetizer.packetize(unitOf(of, keyframe, nalus.map(fromHex)))
      return hexOf(depacketize(newDepacketizer(), [...sent(packets, 1), packetOf(fromHex('419a'), 2, true)])[0]!)
    }
    const sets = SETS.map((set) => set.toString('hex'))
    expect(nalusOf(true, ['0601', '6588'])).to.deep.equal([...sets, '0601', '6588'])
    expect(nalusOf(false, ['419a'])).to.deep.equal(['419a'])
    expect(nalusOf(true, ['6742', '68ce', '6588'])).to.deep.equal(['6742', '68ce', '6588'])
    const other = trackOf('h264', h264ConfigFromParameterSets(OTHER_SPS, PPS))
    expect(nalusOf(true, ['6588'], other)).to.deep.equal([OTHER_SPS.toString('hex'), sets[1], '6588'])
    expect(nalusOf(true, ['6588'], trackOf('h264'))).to.deep.equal(['6588'])
  })

  it('sends nothing of framing alone, and refuses sizes that no header fits in', () => {
    const packetizer = new H264Packetizer({ maxPayloadBytes: MAX_PAYLOAD_BYTES })
    expect(packetizer.packetize(unitOf(track, false, ['09f0', '0a', '0b', '0c80'].map(fromHex)))).to.deep.equal([])
    expect(packetizer.packetize(unitOf(trackOf('h264', CONFIG), true, []))).to.deep.equal([])
    expect(() => new H264Packetizer({ maxPayloadBytes: 31 })).to.throw(RangeError, 'at least 32, not 31')
  })
})

describe('H264Depacketizer', () => {
  for (const { name, nalus, payloads } of CASES) {
    it(`reads ${name}`, () => {
      const packets = payloads.map((payload, index) => packetOf(fromHex(payload), 1, index === payloads.length - 1))
      const [frame] = depacketize(newDepacketizer(), [...packets, packetOf(fromHex('419a'), 2, true)])
      expect(frame && hexOf(frame)).to.deep.equal(nalus.map((nalu) => nalu.replaceAll(' ', '')))
    })
  }

  for (const { name, packets, frames } of STREAMS) {
    it(`makes ${name}`, () => expect(framesOf(packets)).to.deep.equal(frames))
  }

  it('gives a picture with its marker once it has seen what follows one', () => {
    const depacketizer = newDepacketizer()
    const [first, second] = packetsOf(['1! 6588', '2! 419a'])
    expect(depacketizer.push(first!, true)).to.deep.equal([])
    expect(depacketizer.push(second!, true).map(({ timestamp }) => timestamp)).to.deep.equal([1, 2])
  })

  it('gives a first picture that has a marker when packets are lost after it', () => {
    const depacketizer = newDepacketizer()
    const [first, other] = packetsOf(['4294967295! 6588', '2! 4144'])
    depacketizer.push(first!, false)
    expect(depacketizer.push(other!, false).map(({ timestamp }) => timestamp)).to.deep.equal([2 ** 32 - 1])
  })

  const REFUSED: readonly [packets: readonly string[], message: string][] = [
    [['1 19 00000000'], 'STAP-B, which only interleaved H.264 has'],
    [['1 1a 00000000'], 'MTAP16'],
    [['1 1b 00000000'], 'MTAP24'],
    [['1 1d 850000'], 'FU-B'],
    [['1 78 0003 6588'], 'STAP-A with 3 bytes at byte 3 of 5'],
    [['1 78 0001 65 00'], 'STAP-A with 0 bytes at byte 6 of 5'],
    [['1 7c'], 'FU-A of 1 byte'],
    [['1 6588', '1 7c05 88'], 'fragment of 1 bytes of no NAL unit'],
  ]
  for (const [packets, message] of REFUSED) {
    it(`refuses ${packets.join(', ')}`, () => {
      const depacketizer = newDepacketizer()
      const last = packetsOf(packets)
      const broken = last.pop()!
      depacketize(depacketizer, last)
      expect(() => depacketizer.push(broken, true)).to.throw(MalformedError, message)
      // What was begun is given up, and it goes on.
      expect(
        depacketize(depacketizer, packetsOf(['1! 6544', '2! 6588', '3! 419a'])).map((frame) => frame.timestamp),
      ).to.deep.equal([2, 3])
    })
  }

  it('ignores the rest of a NAL unit whose begin was lost', () => {
    expect(depacketize(newDepacketizer(), packetsOf(['1 7c05 88', '1! 7c45 88', '2! 6588', '3! 419a']))).to.have.length(
      2,
    )
  })

  it('holds its limits', () => {
    const slice = Buffer.from('6588', 'hex')
    const tooMany: readonly [what: string, count: number, of: (index: number) => Buffer][] = [
      ['NAL units', MAX_NALUS_PER_ACCESS_UNIT, () => slice],
      ['bytes', 16, () => Buffer.alloc(MAX_ACCESS_UNIT_SIZE_BYTES / 16 + 1, 0x65).fill(0x88, 1)],
      ['bytes', 16, (index) => Buffer.alloc(MAX_ACCESS_UNIT_SIZE_BYTES / 16 + 2, 0x7c).fill(index === 0 ? 0x85 : 5, 1)],
      ['packets', MAX_PACKETS_PER_ACCESS_UNIT, (index) => Buffer.from([0x7c, index === 0 ? 0x85 : 5, 0x88])],
    ]
    for (const [what, count, of] of tooMany) {
      const depacketizer = newDepacketizer()
      const push = (index: number) => depacketizer.push(packetOf(of(index), 1, false), true)
      let index = 0
      expect(() => {
        for (; index <= count; index++) push(index)
      }, what).to.throw(MalformedError, `of more than`)
      expect(index).to.be.at.least(count - 1)
      expect(
        depacketize(depacketizer, packetsOf(['2! 6588', '3! 419a'])).map((frame) => frame.timestamp),
      ).to.deep.equal([2, 3])
    }
  })

  it('knows the configuration of sprop-parameter-sets, unless it is broken', () => {
    expect(new H264Depacketizer(sprop(SPROP)).config).to.deep.equal(CONFIG)
    const withStartCodes = SETS.map((set) => Buffer.concat([fromHex('00000001'), set]).toString('base64')).join(',')
    expect(new H264Depacketizer(sprop(withStartCodes)).config).to.deep.equal(CONFIG)
    const tooMany = Buffer.from('00000165'.repeat(MAX_NALUS_PER_ACCESS_UNIT + 1), 'hex').toString('base64')
    for (const broken of [
      '',
      ',',
      '!',
      SPROP.slice(0, 8),
      SPROP.split(',')[0]!,
      'Z0IAHg==,aM4=',
      SPROP.slice(4),
      tooMany,
    ]) {
      expect(new H264Depacketizer(sprop(broken)).config, broken).to.equal(undefined)
    }
    expect(newDepacketizer().config).to.equal(undefined)
  })

  it('refuses interleaved packets', () => {
    expect(() => new H264Depacketizer(formatOf({ 'packetization-mode': '2' }))).to.throw(
      MalformedError,
      'H.264 packetization-mode 2 (interleaved) is not supported',
    )
    expect(new H264Depacketizer(formatOf({ 'packetization-mode': 'x' })).codec).to.equal('h264')
  })

  it('says where another configuration holds from', () => {
    const sets = (sps: Buffer) => [sps, PPS].map((set) => set.toString('hex'))
    const packetsWith = (time: number, sps: Buffer, slice: string) =>
      [...sets(sps), slice].map((nalu, index) => `${time}${index === 2 ? '!' : ''} ${nalu}`)
    const packets = packetsOf([
      ...packetsWith(1, SPS, '6588'),
      ...packetsWith(2, SPS, '6588'),
      // Between keyframes, others hold from the next keyframe.
      ...packetsWith(3, OTHER_SPS, '419a'),
      '4! 419b',
      '5! 6588',
      ...packetsWith(6, OTHER_SPS, '6588'),
    ])
    const configsOf = (depacketizer: H264Depacketizer) =>
      depacketize(depacketizer, packets).flatMap(({ timestamp, keyframe, config }) =>
        config ? [{ timestamp, keyframe, config }] : [],
      )
    const later = { timestamp: 5, keyframe: true, config: h264ConfigFromParameterSets(OTHER_SPS, PPS) }
    expect(configsOf(new H264Depacketizer(sprop(SPROP)))).to.deep.equal([later])
    expect(configsOf(newDepacketizer())).to.deep.equal([{ timestamp: 1, keyframe: true, config: CONFIG }, later])
    expect(h264Config(CONFIG.record)).to.deep.equal(CONFIG)
  })

  for (const peer of ['ffmpeg', 'gstreamer']) {
    describe(`with packets of ${peer}`, () => {
      const packets = loadCapture(`h264-${peer}`)

      it('gives what was encoded', () => {
        const frames = depacketize(newDepacketizer(), packets)
        expect(frames.map(({ keyframe }) => keyframe)).to.deep.equal(
          Array.from({ length: 8 }, (_, index) => index % 4 === 0),
        )
        expect(new Set(frames.flatMap(hexOf))).to.deep.equal(new Set(encodedNalus()))
        expect(slicesOf(frames.flatMap(hexOf))).to.equal(slicesOf(encodedNalus()))
        expect(frames.map(({ config }) => config)).to.deep.equal([CONFIG, ...Array<undefined>(7).fill(undefined)])
      })

      it('makes no frame of what is left when one is lost', () => {
        const whole = new Set(depacketize(newDepacketizer(), packets).map((frame) => slicesOf(hexOf(frame))))
        for (let lost = 0; lost < packets.length; lost++) {
          const frames = depacketize(newDepacketizer(), packets, lost)
          expect(frames.length, `without packet ${lost}`).to.be.within(7, 8)
          for (const frame of frames) expect(whole.has(slicesOf(hexOf(frame))), `without packet ${lost}`).to.equal(true)
        }
      })
    })
  }

  it('gives back what a packetizer cut', () => {
    const body = fc.array(fc.integer({ min: 2, max: 255 }), { minLength: 1, maxLength: 300 })
    const other = body.map((bytes) => Buffer.from([0x06, ...bytes]))
    const slice = body.map((bytes) => Buffer.from([0x41, ...bytes]))
    const units = fc.array(fc.tuple(fc.array(other, { maxLength: 4 }), body, fc.array(slice, { maxLength: 3 })), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(fc.integer({ min: 32, max: 200 }), units, (maxPayloadBytes, parts) => {
        const track = trackOf('h264')
        const packetizer = new H264Packetizer({ maxPayloadBytes })
        const nalus = parts.map(([others, first, slices]) => [
          ...others,
          Buffer.from([0x65, 0x80, ...first]),
          ...slices,
        ])
        const packets = nalus.flatMap((of, index) => sent(packetizer.packetize(unitOf(track, true, of)), index))
        for (const { payload } of packets) expect(payload.length).to.be.at.most(maxPayloadBytes)
        const frames = depacketize(newDepacketizer(), [...packets, packetOf(fromHex('419a'), 1000, true)])
        expect(frames.slice(0, -1).map(hexOf)).to.deep.equal(nalus.map((of) => of.map((nalu) => nalu.toString('hex'))))
      }),
    )
  })

  it('takes any bytes', () => {
    const seeds = [...CASES.flatMap(({ payloads }) => payloads), '19 00000000', '7c85 88'].map(fromHex)
    let depacketizer = newDepacketizer()
    let count = 0
    fuzz([...seeds, ...loadCapture('h264-ffmpeg').map(({ payload }) => payload)], (bytes) => {
      if (count++ % 20 === 0) depacketizer = newDepacketizer()
      for (const frame of depacketizer.push(packetOf(bytes, count >> 2, count % 3 === 0), count % 7 !== 0)) {
        expect(hexOf(frame)).not.to.be.empty
      }
    })
    fc.assert(
      fc.property(fc.string(), fc.base64String(), (text, base64) => {
        for (const value of [text, base64]) expect(new H264Depacketizer(sprop(value)).codec).to.equal('h264')
      }),
    )
  })
})

/** Sets and SEI messages may be missing: what shows is in the slices. */
function slicesOf(nalus: readonly string[]): string {
  return nalus.filter((nalu) => /^[64]?[15]/u.test(nalu)).join(' ')
}
