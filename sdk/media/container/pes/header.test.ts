import { expect } from 'chai'
import { fuzz } from '../../codec/test/fuzz.ts'
import { MalformedError } from '../../errors.ts'
import { fromHex } from '../flv/fixtures/bytes.ts'
import { parsePesHeader, PES_STREAM_ID, pesPacketSize, serializePesHeader } from './header.ts'

const { video, audio, privateStream1 } = PES_STREAM_ID
const LAST = 2 ** 33 - 1

const CASES: readonly [name: string, bytes: string, streamId: number, pts: number, dts: number, size: number][] = [
  ['audio', '000001 c0 0010 84 80 05 2100010001', audio, 0, 0, 8],
  ['a picture shown later', '000001 e0 000e 84 c0 0a 3100010003 1100010001', video, 1, 0, 1],
  ['the last tick', '000001 bd 0009 84 80 05 2fffffffff', privateStream1, LAST, LAST, 1],
  ['a wrap between decoding and showing', '000001 e0 000e 84 c0 0a 3100010001 1fffffffff', video, 2 ** 33, LAST, 1],
  ['a picture of unbounded size', '000001 e0 0000 84 80 05 2100011b77', video, 3515, 3515, 65_528],
  ['the longest with a size', '000001 e0 ffff 84 80 05 2100010001', video, 0, 0, 65_527],
]

describe('PES header', () => {
  for (const [name, hex, streamId, pts, dts, dataSizeBytes] of CASES) {
    const bytes = fromHex(hex)
    it(`is written and parsed: ${name}`, () => {
      const header = serializePesHeader(streamId, pts, dts, dataSizeBytes)
      expect(header.toString('hex')).to.equal(bytes.toString('hex'))
      expect(parsePesHeader(header)).to.deep.equal({
        streamId,
        sizeBytes: header.length,
        pts: pts % 2 ** 33,
        dts: pts === dts ? undefined : dts,
      })
      expect(pesPacketSize(header)).to.equal(dataSizeBytes > 65_527 ? Infinity : header.length + dataSizeBytes)
    })
  }

  it('is parsed without times and with fields that are stepped over', () => {
    const header = parsePesHeader(fromHex('000001 e0 0000 80 00 00'))
    expect(header).to.deep.equal({ streamId: video, sizeBytes: 9, pts: undefined, dts: undefined })
    expect(parsePesHeader(fromHex('000001 c0 0000 80 80 08 2100010001 ffffff')).sizeBytes).to.equal(17)
  })

  const MALFORMED: readonly [name: string, bytes: string][] = [
    ['ends early', '000001 e0 0000 80 00'],
    ['has no start code', '000002 e0 0000 80 00 00'],
    ['is padding', '000001 be 0000 80 00 00'],
    ['is longer than the packet', '000001 e0 0000 80 80 05 21000100'],
    ['has no room for its time', '000001 e0 0000 80 80 04 2100010001'],
  ]
  for (const [name, bytes] of MALFORMED) {
    it(`is refused when it ${name}`, () => expect(() => parsePesHeader(fromHex(bytes))).to.throw(MalformedError))
  }

  it('is refused for audio that is too long', () => {
    expect(() => serializePesHeader(audio, 0, 0, 65_528)).to.throw(MalformedError)
  })

  it('parses any bytes or refuses them', () => {
    fuzz(
      CASES.map(([, bytes]) => fromHex(bytes)),
      (bytes) => void parsePesHeader(bytes),
    )
  })
})
