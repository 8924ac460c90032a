import { expect } from 'chai'
import { fuzz } from '../../codec/test/fuzz.ts'
import { parseOpusHead } from '../../codec/opus/opus-head.ts'
import { MalformedError } from '../../errors.ts'
import { fromHex } from '../flv/fixtures/bytes.ts'
import { parseOpusControlHeader, serializeOpusControlHeader } from './opus-control-header.ts'
import { opusDescriptor, opusHeadOf } from './opus-descriptor.ts'

describe('Opus control header', () => {
  const CASES: readonly [bytes: string, packetSizeBytes: number][] = [
    ['7fe0 00', 0],
    ['7fe0 fe', 254],
    ['7fe0 ff00', 255],
    ['7fe0 ffff02', 512],
  ]
  for (const [hex, packetSizeBytes] of CASES) {
    it(`is written and parsed for ${packetSizeBytes} bytes`, () => {
      const header = fromHex(hex)
      expect(serializeOpusControlHeader(packetSizeBytes)).to.deep.equal(header)
      const bytes = Buffer.concat([header, Buffer.alloc(packetSizeBytes)])
      expect(parseOpusControlHeader(bytes, 0)).to.deep.equal({ headerSizeBytes: header.length, packetSizeBytes })
    })
  }

  it('is parsed with trimming and an extension', () => {
    const bytes = fromHex('7ffc 01 0038 0010 02abcd fc')
    expect(parseOpusControlHeader(bytes, 0)).to.deep.equal({ headerSizeBytes: 10, packetSizeBytes: 1 })
  })

  it('is refused without its prefix and when the packet is cut', () => {
    for (const hex of ['7fc0 00', '7fe0 02 fc', '7fe0', '7fe0 ff']) {
      expect(() => parseOpusControlHeader(fromHex(hex), 0)).to.throw(MalformedError)
    }
  })

  it('parses any bytes or refuses them', () => {
    fuzz([fromHex('7fe0 01 fc'), fromHex('7ffc 01 0038 0010 02abcd fc')], (bytes) => {
      parseOpusControlHeader(bytes, 0)
    })
  })
})

describe('Opus descriptor', () => {
  const CASES: readonly [name: string, head: string, descriptor: string][] = [
    ['dual mono', '4f70757348656164 01 02 0000 80bb0000 0000 ff 02 00 0001', '8000'],
    ['mono', '4f70757348656164 01 01 0000 80bb0000 0000 00', '8001'],
    ['stereo', '4f70757348656164 01 02 0000 80bb0000 0000 00', '8002'],
    ['5.1', '4f70757348656164 01 06 0000 80bb0000 0000 01 04 02 000401020305', '8006'],
    ['7.1', '4f70757348656164 01 08 0000 80bb0000 0000 01 05 03 0006010203040507', '8008'],
  ]
  for (const [name, head, data] of CASES) {
    it(`is written and parsed: ${name}`, () => {
      const descriptor = { tag: 0x7f, data: fromHex(data) }
      expect(opusDescriptor(fromHex(head))).to.deep.equal(descriptor)
      expect(opusHeadOf([{ tag: 5, data: Buffer.from('Opus') }, descriptor])).to.deep.equal(fromHex(head))
      expect(parseOpusHead(fromHex(head)).version).to.equal(1)
    })
  }

  it('has no code for other layouts', () => {
    const swapped = fromHex('4f70757348656164 01 06 0000 80bb0000 0000 01 04 02 040001020305')
    expect(opusDescriptor(swapped)).to.equal(undefined)
    expect(opusHeadOf([{ tag: 0x7f, data: fromHex('8081 02') }])).to.equal(undefined)
    expect(opusHeadOf([{ tag: 0x7f, data: fromHex('06') }])).to.equal(undefined)
  })
})
