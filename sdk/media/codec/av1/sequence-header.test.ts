import { expect } from 'chai'
import { BitWriter } from '../../bits/bit-writer.ts'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { parseAv1SequenceHeader } from './sequence-header.ts'
import type { Av1SequenceHeader } from './sequence-header.ts'

const COLOR = { bitDepth: 8, monochrome: false, subsamplingX: 1, subsamplingY: 1, chromaSamplePosition: 0 } as const
const SMALL: Av1SequenceHeader = {
  profile: 0,
  level: 0,
  tier: 0,
  width: 320,
  height: 180,
  fps: undefined,
  color: COLOR,
}

function fromBits(bits: string): Buffer {
  const writer = new BitWriter()
  for (const bit of bits.replaceAll(' ', '')) writer.writeFlag(bit === '1')
  return writer.toBuffer()
}

const bits = (value: number, count: number) => value.toString(2).padStart(count, '0')

const SIZE = `0110 0101 ${bits(63, 7)} ${bits(47, 6)}` // 64 by 48
const RGB = `1 ${bits(1, 8)} ${bits(13, 8)} ${bits(0, 8)}`

const cases: { name: string; payload: Buffer; header: Av1SequenceHeader }[] = [
  { name: '8 bits (SVT-AV1)', payload: Buffer.from('000000043cfecc02f80040', 'hex'), header: SMALL },
  {
    name: '10 bits (libaom)',
    payload: Buffer.from('000000043cfeccdaf94040', 'hex'),
    header: { ...SMALL, color: { ...COLOR, bitDepth: 10 } },
  },
  {
    name: 'a still picture in monochrome',
    payload: fromBits(`000 1 1 01000 ${SIZE} 000 000 0 1 0 0 0 0`),
    header: { ...SMALL, level: 8, width: 64, height: 48, color: { ...COLOR, monochrome: true } },
  },
  {
    name: 'every timing field, two operating points, frame ids',
    payload: fromBits(
      `000 0 0 1 ${bits(1001, 32)} ${bits(60_000, 32)} 1 010` + // two ticks a picture
        ` 1 00111 ${bits(1, 32)} 00000 00000 1 00001` + // decoder model of 8 bits, display delay, two points
        ` ${bits(1, 12)} 01101 1 1 ${bits(0, 17)} 1 0011` +
        ` ${bits(2, 12)} 00100 0 0` +
        ` ${SIZE} 1 0000 000 000 0000 1 11 0 0 010 000 0 0 0 0 10 0 0`,
    ),
    header: {
      ...SMALL,
      level: 13,
      tier: 1,
      fps: 60_000 / 1001 / 2,
      width: 64,
      height: 48,
      color: { ...COLOR, chromaSamplePosition: 2 },
    },
  },
  {
    name: 'RGB of profile 1',
    payload: fromBits(`001 1 1 00000 ${SIZE} 000 000 0 ${RGB} 0 0`),
    header: {
      ...SMALL,
      profile: 1,
      width: 64,
      height: 48,
      color: { ...COLOR, subsamplingX: 0, subsamplingY: 0 },
    },
  },
  {
    name: '12 bits of 4:2:2',
    payload: fromBits(`010 1 1 00000 ${SIZE} 000 000 1 1 0 0 0 1 0 0 0`),
    header: { ...SMALL, profile: 2, width: 64, height: 48, color: { ...COLOR, bitDepth: 12, subsamplingY: 0 } },
  },
]

describe('parseAv1SequenceHeader', () => {
  for (const { name, payload, header } of cases) {
    it(`parses ${name}`, () => expect(parseAv1SequenceHeader(payload)).to.deep.equal(header))
  }

  it('refuses what is cut off', () => {
    const whole = cases[0]!.payload
    for (let size = 0; size < whole.length - 1; size++) {
      expect(() => parseAv1SequenceHeader(whole.subarray(0, size)), `${size} bytes`).to.throw(MalformedError)
    }
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ payload }) => payload),
      (bytes) => {
        const { width, height } = parseAv1SequenceHeader(bytes)
        expect(width).to.be.within(1, 65_536)
        expect(height).to.be.within(1, 65_536)
      },
    )
  })
})
