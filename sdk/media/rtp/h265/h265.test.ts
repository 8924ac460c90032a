import { expect } from 'chai'
import fc from 'fast-check'
import { h265ConfigFromParameterSets } from '../../codec/h265/config.ts'
import { H265_NALU_TYPE, h265NaluType } from '../../codec/h265/nalu-type.ts'
import { splitAnnexB } from '../../codec/nalu.ts'
import { fuzz } from '../../codec/test/fuzz.ts'
import { MalformedError } from '../../errors.ts'
import { loadCapture, loadLines } from '../fixtures/capture.ts'
import { depacketize, formatOf, fromHex, hexOf, packetOf, packetsOf, sent } from '../fixtures/packets.ts'
import { trackOf, unitOf } from '../fixtures/packets.ts'
import { H265Depacketizer } from './depacketizer.ts'
import { H265Packetizer } from './packetizer.ts'

const MAX_PAYLOAD_BYTES = 32
const A = 'aa'.repeat(27)

/** Access units and their payloads (RFC 7798 4.4.1 to 4.4.3) of at most 32 bytes. */
const CASES: readonly { name: string; nalus: readonly string[]; payloads: readonly string[] }[] = [
  { name: 'a single NAL unit', nalus: ['020180'], payloads: ['020180'] },
  {
    name: 'AP of sets',
    nalus: ['4001aa', '4201bbbb', '4401cc', '260180'],
    payloads: ['6001 0003 4001aa 0004 4201bbbb 0003 4401cc', '260180'],
  },
  {
    name: 'AP of the lowest layer and temporal id, with F of any',
    nalus: ['4e1baa', 'ce0abb', '260180'],
    payloads: ['e00a 0003 4e1baa 0003 ce0abb', '260180'],
  },
  { name: 'the largest single NAL unit', nalus: [`260180${A}aaaa`], payloads: [`260180${A}aaaa`] },
  {
    name: 'FU of two fragments',
    nalus: [`260180${A}bbbbbb`],
    payloads: [`6201 93 80${A}bb`, '6201 53 bbbb'],
  },
  {
    name: 'FU of three fragments and another slice',
    nalus: [`a34a80${A}bb ${A}cccc dd`, '020100'],
    payloads: [`e34a 91 80${A}bb`, `e34a 11 ${A}cccc`, 'e34a 51 dd', '020100'],
  },
]

/** As above, with decoding order numbers (4.4, DONL and DOND). */
const NUMBERED_CASES: typeof CASES = [
  { name: 'a single NAL unit', nalus: ['020180'], payloads: ['0201 0007 80'] },
  {
    name: 'AP',
    nalus: ['4001aa', '4201bb', '4401cc', '260180'],
    payloads: ['6001 0007 0003 4001aa 00 0003 4201bb 00 0003 4401cc', '2601 000a 80'],
  },
  { name: 'FU', nalus: ['260180aabb'], payloads: ['6201 93 0007 80', '6201 13 aa', '6201 53 bb'] },
]

const ALL = splitAnnexB(Buffer.concat(loadLines('h265')))
const [VPS, SPS, PPS] = ALL.slice(1, 4) as [Buffer, Buffer, Buffer]
const CONFIG = h265ConfigFromParameterSets(VPS, SPS, PPS)
const SPROP = {
  'sprop-vps': VPS.toString('base64'),
  'sprop-sps': SPS.toString('base64'),
  'sprop-pps': PPS.toString('base64'),
}
const NEXT = packetOf(fromHex('020180'), 1000, true)

function newDepacketizer(): H265Depacketizer {
  return new H265Depacketizer(formatOf())
}

/** What the encoder wrote, without framing. */
function encodedNalus(): string[] {
  const nalus = ALL.filter((nalu) => h265NaluType(nalu) !== H265_NALU_TYPE.ACCESS_UNIT_DELIMITER)
  return nalus.map((nalu) => nalu.toString('hex'))
}

function slicesOf(nalus: readonly string[]): string {
  return nalus.filter((nalu) => h265NaluType(fromHex(nalu)) < H265_NALU_TYPE.VPS).join(' ')
}

describe('H265Packetizer', () => {
  for (const { name, nalus, payloads } of CASES) {
    it(`writes ${name}`, () => {
      const unit = unitOf(trackOf('h265'), false, nalus.map(fromHex))
      const packets = new H265Packetizer({ maxPayloadBytes: MAX_PAYLOAD_BYTES }).packetize(unit)
      const written = packets.map(({ parts }) => Buffer.concat(parts).toString('hex'))
      expect(written).to.deep.equal(payloads.map((payload) => payload.replaceAll(' ', '')))
      expect(packets.map(({ sizeBytes }) => sizeBytes)).to.deep.equal(written.map((hex) => hex.length / 2))
      expect(packets.map(({ marker }) => marker)).to.deep.equal(payloads.map((_, at) => at === payloads.length - 1))
    })
  }

  it('puts the sets of the track before keyframes that have none', () => {
    const packetizer = new H265Packetizer({ maxPayloadBytes: 1000 })
    const track = trackOf('h265', CONFIG)
    const nalusOf = (keyframe: boolean, nalus: readonly string[]) => {
      const packets = packetizer.packetize(unitOf(track, keyframe, nalus.map(fromHex)))
      return hexOf(depacketize(newDepacketizer(), [...sent(packets, 1), NEXT])[0]!)
    }
    const sets = [VPS, SPS, PPS].map((set) => set.toString('hex'))
    expect(nalusOf(true, ['260180'])).to.deep.equal([...sets, '260180'])
    expect(nalusOf(true, ['4201aa', '260180'])).to.deep.equal(['4201aa', '260180'])
    expect(nalusOf(false, ['020180'])).to.deep.equal(['020180'])
  })
})

describe('H265Depacketizer', () => {
  const reads = (depacketizer: H265Depacketizer, { nalus, payloads }: (typeof CASES)[number], next = NEXT) => {
    const packets = payloads.map((payload, index) => packetOf(fromHex(payload), 1, index === payloads.length - 1))
    const [frame] = depacketize(depacketizer, [...packets, next])
    expect(frame && hexOf(frame)).to.deep.equal(nalus.map((nalu) => nalu.replaceAll(' ', '')))
  }
  for (const of of CASES) it(`reads ${of.name}`, () => reads(newDepacketizer(), of))
  for (const of of NUMBERED_CASES) {
    it(`reads ${of.name} with order numbers`, () => {
      const format = formatOf({ 'sprop-max-don-diff': '2' })
      reads(new H265Depacketizer(format), of, packetOf(fromHex('0201000b80'), 1000, true))
    })
  }

  it('reads none where sprop-max-don-diff is 0 or broken', () => {
    for (const value of ['0', 'x', '', '-1'])
      reads(new H265Depacketizer(formatOf({ 'sprop-max-don-diff': value })), CASES[1]!)
  })

  it('puts pictures together: by their first slices, without framing and unspecified types', () => {
    const packets = [
      '1! 460110',
      '2! 4001aa',
      '2! 260180',
      '2! 260100',
      '3! 020180',
      '3! 7e0180',
      '3! 020100',
      '4! 020180',
    ]
    const frames = depacketize(newDepacketizer(), packetsOf(packets))
    expect(frames.map(hexOf)).to.deep.equal([
      ['4001aa', '260180', '260100'],
      ['020180', '020100'],
    ])
    expect(frames.map(({ keyframe }) => keyframe)).to.deep.equal([true, false])
  })

  const REFUSED: readonly [payload: string, message: string][] = [
    ['6401 00000000', 'PACI, which is not supported'],
    ['26', 'H.265 payload of 1 bytes'],
    ['6001 0003 2601', 'AP with 3 bytes at byte 4 of 6'],
    ['6201', 'FU of 2 bytes'],
  ]
  for (const [payload, message] of REFUSED) {
    it(`refuses ${payload}`, () => {
      const depacketizer = newDepacketizer()
      depacketizer.push(packetsOf(['1 260180'])[0]!, true)
      expect(() => depacketizer.push(packetsOf([`1! ${payload}`])[0]!, true)).to.throw(MalformedError, message)
      expect(depacketize(depacketizer, packetsOf(['2! 260180', '3! 020180']))).to.have.length(2)
    })
  }

  it('refuses FU and AP with order numbers cut off', () => {
    const depacketizer = new H265Depacketizer(formatOf({ 'sprop-max-don-diff': '1' }))
    for (const [payload, message] of [
      ['6201 93 00', 'FU of 4 bytes'],
      ['6001 0000 00', 'AP with 0 bytes'],
    ] as const) {
      expect(() => depacketizer.push(packetOf(fromHex(payload), 1, true), true)).to.throw(MalformedError, message)
    }
  })

  it('knows the configuration of sprop-vps, sprop-sps and sprop-pps, unless one is broken', () => {
    expect(new H265Depacketizer(formatOf(SPROP)).config).to.deep.equal(CONFIG)
    for (const name of Object.keys(SPROP)) {
      for (const broken of ['', 'AAAA']) {
        expect(new H265Depacketizer(formatOf({ ...SPROP, [name]: broken })).config, name).to.equal(undefined)
      }
    }
    const broken = SPS.subarray(0, 12).toString('base64')
    expect(new H265Depacketizer(formatOf({ ...SPROP, 'sprop-sps': broken })).config).to.equal(undefined)
  })

  it('gives frames with sets that cannot be read, and the configuration with the next ones', () => {
    const sets = [VPS, SPS, PPS].map((set) => set.toString('hex'))
    const packets = ['4001aa', '4201bb', '4401cc', '260180'].map((nalu) => `1 ${nalu}`)
    const frames = depacketize(
      newDepacketizer(),
      packetsOf([...packets, ...sets.map((set) => `2 ${set}`), '2 260180', '3 020180']),
    )
    expect(frames.map(({ config }) => config)).to.deep.equal([undefined, CONFIG])
  })

  for (const peer of ['ffmpeg', 'gstreamer']) {
    describe(`with packets of ${peer}`, () => {
      const packets = loadCapture(`h265-${peer}`)

      it('gives what was encoded', () => {
        const frames = depacketize(newDepacketizer(), packets)
        expect(frames.map(({ keyframe }) => keyframe)).to.deep.equal(Array.from({ length: 8 }, (_, at) => at % 4 === 0))
        // ffmpeg sends the first byte of a start code with the NAL unit before it.
        const nalus = frames.flatMap(hexOf).map((nalu) => nalu.replace(/00$/u, ''))
        expect(new Set(nalus)).to.deep.equal(new Set(encodedNalus()))
        expect(slicesOf(nalus)).to.equal(slicesOf(encodedNalus()))
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
    const other = body.map((bytes) => Buffer.from([0x4e, 1, ...bytes]))
    const slice = body.map((bytes) => Buffer.from([0x02, 1, 0x40, ...bytes]))
    const unit = fc.tuple(fc.array(other, { maxLength: 4 }), body, fc.array(slice, { maxLength: 3 }))
    fc.assert(
      fc.property(fc.integer({ min: 32, max: 200 }), fc.array(unit, { maxLength: 5 }), (maxPayloadBytes, units) => {
        const track = trackOf('h265')
        const packetizer = new H265Packetizer({ maxPayloadBytes })
        const nalus = units.map(([others, first, slices]) => [
          ...others,
          Buffer.from([0x26, 1, 0x80, ...first]),
          ...slices,
        ])
        const packets = nalus.flatMap((of, index) => sent(packetizer.packetize(unitOf(track, true, of)), index))
        for (const { payload } of packets) expect(payload.length).to.be.at.most(maxPayloadBytes)
        const frames = depacketize(newDepacketizer(), [...packets, NEXT])
        const expected = nalus.map((of) => of.map((nalu) => nalu.toString('hex')))
        expect(frames.map(hexOf).slice(0, expected.length)).to.deep.equal(expected)
      }),
    )
  })

  it('takes any bytes', () => {
    const seeds = [...CASES, ...NUMBERED_CASES].flatMap(({ payloads }) => payloads.map(fromHex))
    for (const parameters of [{}, { 'sprop-max-don-diff': '1' }]) {
      let depacketizer = new H265Depacketizer(formatOf(parameters))
      let count = 0
      fuzz(seeds, (bytes) => {
        if (count++ % 20 === 0) depacketizer = new H265Depacketizer(formatOf(parameters))
        for (const frame of depacketizer.push(packetOf(bytes, count >> 2, count % 3 === 0), count % 7 !== 0)) {
          expect(hexOf(frame)).not.to.be.empty
        }
      })
    }
  })
})
