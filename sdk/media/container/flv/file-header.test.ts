import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { FLV_MAX_FILE_HEADER_SIZE_BYTES, parseFlvFileHeader, serializeFlvFileHeader } from './file-header.ts'
import { fromHex } from './fixtures/bytes.ts'

const CASES = [
  { hex: '464c56 01 05 00000009', header: { audio: true, video: true } },
  { hex: '464c56 01 04 00000009', header: { audio: true, video: false } },
  { hex: '464c56 01 01 00000009', header: { audio: false, video: true } },
  { hex: '464c56 01 00 00000009', header: { audio: false, video: false } },
] as const

describe('FLV file header', () => {
  for (const { hex, header } of CASES) {
    it(`reads ${hex}`, () => expect(parseFlvFileHeader(fromHex(hex))).to.deep.equal({ header, sizeBytes: 9 }))

    it(`writes ${hex} and the size before the first tag`, () => {
      const bytes = fromHex(`${hex} 00000000`)
      expect(serializeFlvFileHeader(header).toString('hex')).to.equal(bytes.toString('hex'))
    })
  }

  const tooLong = (FLV_MAX_FILE_HEADER_SIZE_BYTES + 1).toString(16).padStart(8, '0')
  for (const hex of ['464c56 01', '464c57 01 05 00000009', '464c56 01 05 00000008', `464c56 01 05 ${tooLong}`]) {
    it(`refuses ${hex}`, () => expect(() => parseFlvFileHeader(fromHex(hex))).to.throw(MalformedError))
  }
})
