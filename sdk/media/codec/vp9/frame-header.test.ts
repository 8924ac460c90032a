import { expect } from 'chai'
import { BitWriter } from '../../bits/bit-writer.ts'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { parseVp9FrameHeader } from './frame-header.ts'
import type { Vp9FrameHeader } from './frame-header.ts'

function keyframe(fields: string): Buffer {
  const writer = new BitWriter()
  const sync = (0x498342).toString(2).padStart(24, '0')
  const [head, colors] = fields.split('|') as [string, string]
  const size = `${(1919).toString(2).padStart(16, '0')}${(1079).toString(2).padStart(16, '0')}`
  for (const bit of `${head}${sync}${colors}${size}`.replaceAll(' ', '')) writer.writeFlag(bit === '1')
  return writer.toBuffer()
}

const HD = { keyframe: true, width: 1920, height: 1080 } as const

// The first two are the starts of frames of libvpx.
const cases: { name: string; frame: Buffer; header: Vp9FrameHeader }[] = [
  {
    name: 'a keyframe',
    frame: Buffer.from('824983420013f00b36043824', 'hex'),
    header: {
      keyframe: true,
      profile: 0,
      bitDepth: 8,
      colorSpace: 0,
      fullRange: false,
      subsamplingX: 1,
      subsamplingY: 1,
      width: 320,
      height: 180,
    },
  },
  {
    name: 'an inter frame',
    frame: Buffer.from('86004092f0e1400000507fce', 'hex'),
    header: { keyframe: false, profile: 0 },
  },
  { name: 'a frame shown again', frame: Buffer.from('88', 'hex'), header: { keyframe: false, profile: 0 } },
  {
    name: 'a keyframe of 4:2:2',
    frame: keyframe('10 1 0 0 0 1 0 | 010 1 1 0 0'),
    header: { ...HD, profile: 1, bitDepth: 8, colorSpace: 2, fullRange: true, subsamplingX: 1, subsamplingY: 0 },
  },
  {
    name: 'a keyframe of 10 bits',
    frame: keyframe('10 0 1 0 0 1 0 | 0 101 0'),
    header: { ...HD, profile: 2, bitDepth: 10, colorSpace: 5, fullRange: false, subsamplingX: 1, subsamplingY: 1 },
  },
  {
    name: 'a keyframe of RGB and 12 bits',
    frame: keyframe('10 1 1 0 0 0 1 0 | 1 111 0'),
    header: { ...HD, profile: 3, bitDepth: 12, colorSpace: 7, fullRange: true, subsamplingX: 0, subsamplingY: 0 },
  },
]

describe('parseVp9FrameHeader', () => {
  for (const { name, frame, header } of cases) {
    it(`parses ${name}`, () => expect(parseVp9FrameHeader(frame)).to.deep.equal(header))
  }

  it('refuses forbidden values and what is cut off', () => {
    expect(() => parseVp9FrameHeader(Buffer.from('42', 'hex'))).to.throw(MalformedError, 'no VP9 frame: 42')
    expect(() => parseVp9FrameHeader(Buffer.from('b8', 'hex'))).to.throw(MalformedError, 'reserved profile')
    expect(() => parseVp9FrameHeader(Buffer.from('82498343', 'hex'))).to.throw(MalformedError, 'sync code 498343')
    expect(() => parseVp9FrameHeader(keyframe('10 0 0 0 0 1 0 | 111'))).to.throw(MalformedError, 'RGB in profile 0')
    for (let size = 0; size < 9; size++) {
      expect(() => parseVp9FrameHeader(cases[0]!.frame.subarray(0, size)), `${size} bytes`).to.throw(MalformedError)
    }
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ frame }) => frame),
      (bytes) => void parseVp9FrameHeader(bytes),
    )
  })
})
