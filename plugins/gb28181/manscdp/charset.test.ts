import { expect } from 'chai'
import { decodeGbText, encodeGbText, type GbCharset } from './charset.ts'

/** Names with their bytes, from the tables of the charsets. */
const NAMES: readonly (readonly [name: string, gb: string])[] = [
  ['摄像头', 'c9e3cff1cdb7'],
  ['东门停车场', 'b6abc3c5cda3b3b5b3a1'],
  // In GBK, but not in GB2312: 镕, and 喆 of a name.
  ['镕喆', 'e946 86b4'],
  // In four bytes alone.
  ['𠮷', '9534b235'],
]

function xml(encoding: string | undefined, content: Buffer): Buffer {
  const declaration = encoding === undefined ? '' : `<?xml version="1.0" encoding="${encoding}"?>\r\n`
  return Buffer.concat([Buffer.from(`${declaration}<Name>`), content, Buffer.from('</Name>')])
}

function nameIn(bytes: Buffer, preferred?: GbCharset): string | undefined {
  return /<Name>(.*)<\/Name>/su.exec(decodeGbText(bytes, preferred))?.[1]
}

describe('charsets of GB/T 28181', () => {
  for (const [name, hex] of NAMES) {
    const gb = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    const utf8 = Buffer.from(name)

    it(`write ${name}, and nothing becomes a question mark`, () => {
      expect(encodeGbText(name, 'GB18030')).to.eql(gb)
      expect(encodeGbText(name, 'GB2312')).to.eql(gb)
      expect(encodeGbText(name, 'UTF-8')).to.eql(utf8)
    })

    for (const encoding of ['GB2312', 'gb18030', 'GBK', 'UTF-8', 'utf8', 'ISO-8859-1', undefined]) {
      it(`read ${name}, whether ${encoding ?? 'nothing'} is declared or not`, () => {
        for (const preferred of [undefined, 'GB2312', 'GB18030', 'UTF-8'] as const) {
          expect(nameIn(xml(encoding, gb), preferred)).to.equal(name)
          expect(nameIn(xml(encoding, utf8), preferred)).to.equal(name)
        }
      })
    }
  }

  it('go by the declaration, then by the setting, where bytes can be either', () => {
    // 路 in GB, and a dot in UTF-8.
    const bytes = Buffer.from('c2b7', 'hex')
    expect(nameIn(xml('GB2312', bytes), 'UTF-8')).to.equal('路')
    expect(nameIn(xml('UTF-8', bytes), 'GB2312')).to.equal('·')
    expect(nameIn(xml(undefined, bytes), 'GB2312')).to.equal('路')
    expect(nameIn(xml(undefined, bytes))).to.equal('·')
    expect(nameIn(xml(undefined, Buffer.from('Café')))).to.equal('Café')
  })

  it('lose no more than the character that is cut off', () => {
    const cut = (charset: GbCharset) => encodeGbText('东门停车场', charset).subarray(0, -1)
    expect(nameIn(xml('GB2312', cut('GB2312')))).to.equal('东门停车\uFFFD')
    expect(nameIn(xml('GB2312', cut('UTF-8')))).to.equal('东门停车\uFFFD')
  })

  it('begin with marks of their own, or not', () => {
    const text = '<Name>摄像头</Name>'
    expect(decodeGbText(Buffer.from(`\uFEFF${text}`))).to.equal(text)
    expect(decodeGbText(Buffer.from(`\uFEFF${text}`, 'utf16le'))).to.equal(text)
    expect(decodeGbText(Buffer.from(`\uFEFF${text}`, 'utf16le').swap16())).to.equal(text)
    expect(decodeGbText(Buffer.alloc(0))).to.equal('')
  })
})
