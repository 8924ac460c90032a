import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { vp8Config } from './config.ts'
import { parseVp8FrameHeader } from './frame-header.ts'
import type { Vp8FrameHeader } from './frame-header.ts'

// The first two are the starts of frames of libvpx.
const cases: { name: string; hex: string; header: Vp8FrameHeader }[] = [
  { name: 'a keyframe', hex: '1062009d012a4001b4000007', header: { keyframe: true, width: 320, height: 180 } },
  { name: 'an inter frame', hex: 'd11a000710e4001ed792880f', header: { keyframe: false } },
  {
    name: 'a keyframe to be scaled',
    hex: '1062009d012a4041b480',
    header: { keyframe: true, width: 320, height: 180 },
  },
]

describe('parseVp8FrameHeader', () => {
  for (const { name, hex, header } of cases) {
    it(`parses ${name}`, () => expect(parseVp8FrameHeader(Buffer.from(hex, 'hex'))).to.deep.equal(header))
  }

  it('refuses keyframes without start code and what is cut off', () => {
    expect(() => parseVp8FrameHeader(Buffer.from('1062009d012b4001b400', 'hex'))).to.throw(MalformedError, '9d012b')
    for (let size = 0; size < 10; size++) {
      const cut = Buffer.from(cases[0]!.hex, 'hex').subarray(0, size)
      expect(() => parseVp8FrameHeader(cut), `${size} bytes`).to.throw(MalformedError)
    }
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ hex }) => Buffer.from(hex, 'hex')),
      (bytes) => void parseVp8FrameHeader(bytes),
    )
  })
})

describe('vp8Config', () => {
  it('describes a keyframe', () => {
    const config = { record: Buffer.alloc(0), width: 320, height: 180, codecString: 'vp8' }
    expect(vp8Config({ width: 320, height: 180 })).to.deep.equal(config)
  })
})
