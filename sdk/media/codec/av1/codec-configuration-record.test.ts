import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import {
  parseAv1CodecConfigurationRecord as parse,
  serializeAv1CodecConfigurationRecord as serialize,
} from './codec-configuration-record.ts'
import type { Av1CodecConfigurationRecord } from './codec-configuration-record.ts'

const fromHex = (hex: string) => Buffer.from(hex, 'hex')
const COLOR = { bitDepth: 8, monochrome: false, subsamplingX: 1, subsamplingY: 1, chromaSamplePosition: 0 } as const

const cases: { name: string; hex: string; record: Av1CodecConfigurationRecord }[] = [
  {
    name: '8 bits (ffmpeg)',
    hex: '81000c000a0b000000043cfecc02f80040',
    record: {
      profile: 0,
      level: 0,
      tier: 0,
      color: COLOR,
      initialPresentationDelay: undefined,
      configObus: fromHex('0a0b000000043cfecc02f80040'),
    },
  },
  {
    name: '10 bits (ffmpeg)',
    hex: '81004c000a0b000000043cfeccdaf94040',
    record: {
      profile: 0,
      level: 0,
      tier: 0,
      color: { ...COLOR, bitDepth: 10 },
      initialPresentationDelay: undefined,
      configObus: fromHex('0a0b000000043cfeccdaf94040'),
    },
  },
  {
    name: 'every other field, no OBUs',
    hex: '814dfa1f',
    record: {
      profile: 2,
      level: 13,
      tier: 1,
      color: { bitDepth: 12, monochrome: true, subsamplingX: 1, subsamplingY: 0, chromaSamplePosition: 2 },
      initialPresentationDelay: 16,
      configObus: Buffer.alloc(0),
    },
  },
]

describe('Av1CodecConfigurationRecord', () => {
  for (const { name, hex, record } of cases) {
    it(`parses ${name}`, () => expect(parse(fromHex(hex))).to.deep.equal(record))
    it(`serializes ${name}`, () => expect(serialize(record).toString('hex')).to.equal(hex))
  }

  it('refuses other versions and what is cut off', () => {
    expect(() => parse(fromHex('82000c00'))).to.throw(MalformedError, 'begins with 82')
    expect(() => parse(fromHex('81000c'))).to.throw(MalformedError, 'av1C of 3 bytes')
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ hex }) => fromHex(hex)),
      (bytes) => {
        const record = parse(bytes)
        expect(parse(serialize(record))).to.deep.equal(record)
      },
    )
  })
})
