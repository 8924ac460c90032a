import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { isAv1Keyframe } from './keyframe.ts'

// Temporal units of libaom, their frames cut short.
const cases = [
  { name: 'a key frame', hex: '1200 0a0b000000043cfeccdaf94040 32041400a0c8', keyframe: true },
  { name: 'a key frame without its sequence header', hex: '32041400a0c8', keyframe: true },
  { name: 'a key frame in header and tiles', hex: '1a021400 2201ff', keyframe: true },
  { name: 'an inter frame', hex: '1200 32043201e040', keyframe: false },
  { name: 'a key frame that is not shown', hex: '32040400a0c8', keyframe: false },
  { name: 'a frame shown again', hex: '1a0180', keyframe: false },
  { name: 'an intra-only frame', hex: '32045400a0c8', keyframe: false },
  { name: 'a still picture', hex: '0a04180000aa 3202a0c8', keyframe: true },
  { name: 'a sequence header alone', hex: '0a0b000000043cfeccdaf94040', keyframe: false },
  { name: 'an empty frame', hex: '3200', keyframe: false },
]

const fromHex = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

describe('isAv1Keyframe', () => {
  for (const { name, hex, keyframe } of cases) {
    it(`is ${keyframe} for ${name}`, () => expect(isAv1Keyframe(fromHex(hex))).to.equal(keyframe))
  }

  it('refuses broken units', () => {
    expect(() => isAv1Keyframe(fromHex('320414'))).to.throw(MalformedError)
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ hex }) => fromHex(hex)),
      (bytes) => void isAv1Keyframe(bytes),
    )
  })
})
