import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { frameOfAdu } from './adu.ts'
import { parseMp3FrameHeader } from './frame-header.ts'

const fromHex = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const zeros = (count: number) => '00'.repeat(count)
const side = (start: string, sizeBytes: number) => start + '5a'.repeat(sizeBytes - start.length / 2)

// The sizes of frames are 144 or 72 times the bitrate by the sample rate, rounded down.
const CASES: readonly (readonly [name: string, adu: string, frame: string])[] = [
  [
    'MPEG-2, which goes down to 8 kbit/s',
    `fff370c0 ${side('55', 9)} aabbcc`,
    `fff310c0 ${side('00', 9)} aabbcc ${zeros(26 - 4 - 9 - 3)}`,
  ],
  [
    'MPEG-2 with more data than that has room for',
    `fff370c0 ${side('55', 9)} ${'ab'.repeat(14)}`,
    `fff320c0 ${side('00', 9)} ${'ab'.repeat(14)} ${zeros(52 - 4 - 9 - 14)}`,
  ],
  [
    'MPEG-1 in stereo with padding, which it loses',
    `fffb9264 ${side('ffff', 32)} ${'ab'.repeat(68)}`,
    `fffb1064 ${side('007f', 32)} ${'ab'.repeat(68)}`,
  ],
  [
    'MPEG-1 with a checksum, which it loses',
    `fffa94c4 1234 ${side('ffff', 17)} aabb`,
    `fffb14c4 ${side('007f', 17)} aabb ${zeros(96 - 4 - 17 - 2)}`,
  ],
]

describe('frameOfAdu', () => {
  for (const [name, adu, frame] of CASES) {
    it(`makes a frame of ${name}`, () => {
      const found = frameOfAdu(fromHex(adu))
      expect(found.toString('hex')).to.equal(fromHex(frame).toString('hex'))
      expect(parseMp3FrameHeader(found).sizeBytes).to.equal(found.length)
    })
  }

  it('refuses other layers, what is cut off and what has no room in a frame', () => {
    expect(() => frameOfAdu(fromHex('fffde4c4'))).to.throw(MalformedError, 'layer 2')
    expect(() => frameOfAdu(fromHex('fff370c0 5555'))).to.throw(MalformedError, 'ADU frame of 6 bytes')
    const full = Buffer.alloc(522)
    fromHex('fff370c0').copy(full)
    expect(frameOfAdu(full)).to.have.lengthOf(522)
    expect(() => frameOfAdu(Buffer.concat([full, Buffer.alloc(1)]))).to.throw(MalformedError, 'needs 523 bytes')
  })

  it('takes any bytes', () => {
    fuzz(
      CASES.map(([, adu]) => fromHex(adu)),
      (bytes) => {
        const frame = frameOfAdu(bytes)
        expect(parseMp3FrameHeader(frame).sizeBytes).to.equal(frame.length)
      },
    )
  })
})
