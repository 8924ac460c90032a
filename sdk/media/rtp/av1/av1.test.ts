import { expect } from 'chai'
import fc from 'fast-check'
import { AccessUnit } from '../../access-unit.ts'
import { av1Config, av1ConfigFromSequenceHeader } from '../../codec/av1/config.ts'
import { AV1_OBU_TYPE, joinObus, MAX_OBUS_PER_TEMPORAL_UNIT, splitObus } from '../../codec/av1/obu.ts'
import { MAX_ACCESS_UNIT_SIZE_BYTES } from '../../codec/nalu.ts'
import { fuzz } from '../../codec/test/fuzz.ts'
import { MalformedError } from '../../errors.ts'
import type { VideoConfig } from '../../track.ts'
import { loadLines } from '../fixtures/capture.ts'
import { depacketize, fromHex, hexOf, packetOf, packetsOf, sent, trackOf } from '../fixtures/packets.ts'
import { Av1Depacketizer } from './depacketizer.ts'
import { Av1Packetizer } from './packetizer.ts'

/** Of libaom, without and with size. */
const SEQUENCE = '08 00000002aff79b5f2008'
const SIZED_SEQUENCE = '0a 0a 00000002aff79b5f2008'
const A = 'aa'.repeat(28)
const SMALL = '2a 01 05'

/** Temporal units and their payloads (RTP Payload Format For AV1 4.4 and 4.5) of at most 32 bytes. */
const CASES: readonly { name: string; unit: string; keyframe?: true; payloads: readonly string[] }[] = [
  { name: 'an OBU', unit: '32 03 30aabb', payloads: ['10 30 30aabb'] },
  {
    name: 'the begin of a coded video sequence',
    unit: `${SIZED_SEQUENCE} 32 03 10aabb`,
    keyframe: true,
    payloads: [`28 0b ${SEQUENCE} 30 10aabb`],
  },
  { name: 'three OBUs', unit: `${SMALL} ${SMALL} 32 01 30`, payloads: ['30 02 2805 02 2805 30 30'] },
  {
    name: 'four OBUs, all with sizes',
    unit: `${SMALL} ${SMALL} ${SMALL} 32 01 30`,
    payloads: ['00 02 2805 02 2805 02 2805 02 3030'],
  },
  { name: 'an OBU with an extension', unit: '36 20 02 30aa', payloads: ['10 3420 30aa'] },
  { name: 'an OBU of two packets', unit: `32 1f 30${A}bbcc`, payloads: [`50 30 30${A}`, '90 bbcc'] },
  {
    name: 'an OBU of three packets',
    unit: `32 3c 30${A} bbbb${A} cc`,
    payloads: [`50 30 30${A}`, `d0 bbbb${A}`, '90 cc'],
  },
  {
    name: 'fragments beside OBUs',
    unit: `${SMALL} 32 1c 30${A.slice(2)} ${SMALL}`,
    payloads: [`60 02 2805 30 30${A.slice(6)}`, 'a0 02 aaaa 2805'],
  },
  {
    name: 'no fragment in little room',
    unit: `2a 16 05${A.slice(14)} 32 09 30bbbbbbbbbbbbbbbb`,
    payloads: [`10 28 05${A.slice(14)}`, '10 30 30bbbbbbbbbbbbbbbb'],
  },
]

/** Packets, and the frames that they make. */
const STREAMS: readonly { name: string; packets: readonly string[]; frames: readonly string[] }[] = [
  { name: 'packets of one unit', packets: ['1! 10 30 30', '2 10 2805', '2! 10 30 31'], frames: ['2 2a0105320131'] },
  { name: 'ends by time', packets: ['1 10 30 30', '2 10 30 31', '3 10 30 32'], frames: ['2 320131'] },
  { name: 'units with markers of one time', packets: ['1! 18 30 30', '1! 10 30 31'], frames: ['1 320130', '1 320131'] },
  { name: 'OBUs with sizes of their own', packets: ['1! 18 32 02 30aa'], frames: ['1 320230aa'] },
  { name: 'no delimiters and tile lists', packets: ['1! 38 02 1200 01 40 30 30'], frames: ['1 320130'] },
  { name: 'elements without bytes', packets: ['1! 28 00 30 30', '2! 00 00 02 3031'], frames: ['1 320130', '2 320131'] },
  {
    name: 'a sequence from its header on',
    packets: [`1! 20 0b ${SEQUENCE} 30 10`],
    frames: [`1 ${SIZED_SEQUENCE} 320110`],
  },
  {
    name: 'no unit whose begin is unknown',
    packets: ['1 10 30 30', '1! 10 30 31', '2! 10 30 32'],
    frames: ['2 320132'],
  },
  { name: 'no fragment without begin', packets: ['1! 90 aa', '2! 10 30 30'], frames: ['2 320130'] },
  {
    name: 'no unit without end',
    packets: ['1 58 30 30aa', '2! 10 30 31', '3! 50 30 30', '4! 10 30 32'],
    frames: ['2 320131', '4 320132'],
  },
  { name: 'packets without payload', packets: ['1 18 30 30', '9', '1! 10 2805'], frames: ['1 3201302a0105'] },
  { name: 'nothing of delimiters alone', packets: ['1! 18 1200', '2! 10 30 30'], frames: ['2 320130'] },
]

const UNITS = loadLines('av1')

/** As a depacketizer gives it. */
function withoutDelimiter(unit: Buffer): string {
  return joinObus(splitObus(unit)).toString('hex')
}

function configOf(unit: Buffer): VideoConfig {
  return av1ConfigFromSequenceHeader(splitObus(unit).find(({ type }) => type === AV1_OBU_TYPE.SEQUENCE_HEADER)!)
}

function packetize(units: readonly Buffer[], maxPayloadBytes: number): ReturnType<typeof sent> {
  const packetizer = new Av1Packetizer({ maxPayloadBytes })
  const track = trackOf('av1')
  return units.flatMap((data, at) =>
    sent(packetizer.packetize(AccessUnit.fromData(track, 0, 0, at % 4 === 0, data)), at),
  )
}

describe('Av1Packetizer', () => {
  for (const { name, unit, keyframe = false, payloads } of CASES) {
    it(`writes ${name}`, () => {
      const data = fromHex(`1200 ${unit}`)
      const packets = new Av1Packetizer({ maxPayloadBytes: 32 }).packetize(
        AccessUnit.fromData(trackOf('av1'), 0, 0, keyframe, data),
      )
      const written = packets.map(({ parts }) => Buffer.concat(parts))
      expect(written.map((bytes) => bytes.toString('hex'))).to.deep.equal(
        payloads.map((hex) => hex.replaceAll(' ', '')),
      )
      expect(packets.map(({ sizeBytes }) => sizeBytes)).to.deep.equal(written.map(({ length }) => length))
      expect(packets.map(({ marker }) => marker)).to.deep.equal(payloads.map((_, at) => at === payloads.length - 1))
    })
  }

  it('puts the sequence header of the track before keyframes that have none', () => {
    const track = trackOf('av1', configOf(UNITS[0]!))
    const payloadOf = (keyframe: boolean, unit: string, of = track) => {
      const data = fromHex(unit)
      const [payload] = new Av1Packetizer({ maxPayloadBytes: 100 }).packetize(
        AccessUnit.fromData(of, 0, 0, keyframe, data),
      )
      return payload && Buffer.concat(payload.parts)
    }
    expect(payloadOf(true, '32 01 10')).to.deep.equal(fromHex(`28 0b ${SEQUENCE} 30 10`))
    expect(payloadOf(false, '32 01 30')).to.deep.equal(fromHex('10 30 30'))
    expect(payloadOf(true, `${SIZED_SEQUENCE} 32 01 10`)).to.deep.equal(fromHex(`28 0b ${SEQUENCE} 30 10`))
    expect(payloadOf(true, '32 01 10', trackOf('av1'))).to.deep.equal(fromHex('10 30 10'))
    expect(payloadOf(true, '12 00')).to.equal(undefined)
  })
})

describe('Av1Depacketizer', () => {
  for (const { name, unit, payloads } of CASES) {
    it(`reads ${name}`, () => {
      const packets = payloads.map((payload, at) => packetOf(fromHex(payload), 2, at === payloads.length - 1))
      const frames = depacketize(new Av1Depacketizer(), [packetOf(fromHex('10 30 30'), 1, true), ...packets])
      expect(frames.flatMap(hexOf)).to.deep.equal([unit.replaceAll(' ', '')])
    })
  }

  for (const { name, packets, frames } of STREAMS) {
    it(`reads ${name}`, () => {
      const read = depacketize(new Av1Depacketizer(), packetsOf(packets))
      const spaceless = (text: string) => text.replaceAll(' ', '')
      const lines = read.map((frame) => `${frame.timestamp} ${hexOf(frame).join(' ')}`)
      expect(lines.map(spaceless)).to.deep.equal(frames.map(spaceless))
    })
  }

  const REFUSED: readonly [packets: readonly string[], message: string][] = [
    [['1 08 05 3030'], 'OBU element of 5 bytes at byte 2 of 4'],
    [['1 08 80'], 'leb128 cut off at byte 1'],
    [['1 28'], 'leb128 cut off at byte 1'],
    [['1 18 30 30', '1 90 aa'], 'OBU that goes on without a begin'],
    [['1 58 30 30', '1 10 30 30'], 'OBU without an end'],
    [['1 18 b0'], 'OBU header b0'],
  ]
  for (const [packets, message] of REFUSED) {
    it(`refuses ${packets.join(', ')}`, () => {
      const depacketizer = new Av1Depacketizer()
      const read = packetsOf(packets)
      const broken = read.pop()!
      depacketize(depacketizer, read)
      expect(() => depacketizer.push(broken, true)).to.throw(MalformedError, message)
      // What was begun is given up, and it goes on with the next unit.
      const frames = depacketize(depacketizer, packetsOf(['1! 10 30 30', '2! 10 30 31']))
      expect(frames.flatMap(hexOf)).to.deep.equal(['320131'])
    })
  }

  it('holds its limits', () => {
    const many = Buffer.concat([Buffer.of(0x08), Buffer.alloc(2 * MAX_OBUS_PER_TEMPORAL_UNIT + 2, '0130', 'hex')])
    expect(() => new Av1Depacketizer().push(packetOf(many, 1, false), true)).to.throw(MalformedError, 'OBUs')
    const depacketizer = new Av1Depacketizer()
    const part = Buffer.alloc(MAX_ACCESS_UNIT_SIZE_BYTES / 8 + 1, 0x50)
    depacketizer.push(packetOf(Buffer.concat([Buffer.of(0x58), part.subarray(1)]), 1, false), true)
    part[0] = 0xd0
    expect(() => {
      for (let left = 8; left > 0; left--) depacketizer.push(packetOf(part, 1, false), true)
    }).to.throw(MalformedError, 'OBU of more than')
  })

  it('says which configuration holds from other sequence headers on', () => {
    const other = Buffer.from(UNITS[0]!)
    // The level of the operating point, 0 of 5 bits after 23 others.
    other[6] = 0x0a
    const frames = depacketize(
      new Av1Depacketizer(),
      packetize([UNITS[0]!, UNITS[1]!, UNITS[2]!, UNITS[3]!, UNITS[4]!], 1000),
    )
    expect(frames.map(({ keyframe }) => keyframe)).to.deep.equal([true, false, false, false, true])
    const config = configOf(UNITS[0]!)
    expect(frames.map((frame) => frame.config)).to.deep.equal([config, ...Array<undefined>(4).fill(undefined)])
    expect(av1Config(config.record)).to.deep.equal({ ...config, width: 64, height: 48 })
    const next = depacketize(new Av1Depacketizer(), [...packetize([UNITS[0]!], 1000), ...packetize([other], 1000)])
    expect(next.map((frame) => frame.config)).to.deep.equal([config, configOf(other)])
    expect(configOf(other)).not.to.deep.equal(config)
  })

  it('gives what libaom encoded, and no frame of what is left when a packet is lost', () => {
    const packets = packetize(UNITS, 300)
    const whole = depacketize(new Av1Depacketizer(), packets).flatMap(hexOf)
    expect(whole).to.deep.equal(UNITS.map(withoutDelimiter))
    for (let lost = 0; lost < packets.length; lost++) {
      const frames = depacketize(new Av1Depacketizer(), packets, lost).flatMap(hexOf)
      const { timestamp, marker } = packets[lost]!
      // The end of a unit whose last packet is lost shows only after the next one, unless that begins a sequence.
      const alsoGone = marker && timestamp !== 3 && packets[lost + 1] !== undefined ? timestamp + 1 : -1
      const left = whole.filter((_, at) => at !== timestamp && at !== alsoGone)
      expect(frames, `without packet ${lost}`).to.deep.equal(left)
    }
  })

  it('gives back what a packetizer cut', () => {
    const type = fc.constantFrom(AV1_OBU_TYPE.METADATA, AV1_OBU_TYPE.FRAME, AV1_OBU_TYPE.TILE_GROUP)
    const obu = fc.tuple(type, fc.uint8Array({ maxLength: 200 })).map(([type, payload]) => {
      return { type, header: Buffer.of(type << 3), payload: Buffer.from(payload) }
    })
    const units = fc.array(fc.array(obu, { minLength: 1, maxLength: 6 }).map(joinObus), { maxLength: 5 })
    fc.assert(
      fc.property(fc.integer({ min: 32, max: 200 }), units, (maxPayloadBytes, units) => {
        const packets = packetize(units, maxPayloadBytes)
        for (const { payload } of packets) expect(payload.length).to.be.at.most(maxPayloadBytes)
        const before = packetOf(fromHex('10 30 30'), 1000, true)
        const frames = depacketize(new Av1Depacketizer(), [before, ...packets])
        expect(frames.flatMap(hexOf)).to.deep.equal(units.map((unit) => unit.toString('hex')))
      }),
    )
  })

  it('takes any bytes', () => {
    const seeds = CASES.flatMap(({ payloads }) => payloads.map(fromHex))
    const depacketizer = new Av1Depacketizer()
    let count = 0
    fuzz(seeds, (bytes) => {
      count += 1
      for (const frame of depacketizer.push(packetOf(bytes, count >> 2, count % 3 === 0), count % 7 !== 0)) {
        expect(hexOf(frame)).not.to.deep.equal([''])
      }
    })
  })
})
