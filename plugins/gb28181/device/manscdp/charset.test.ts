import { expect } from 'chai'
import { decodeText, encodeText } from './charset.ts'

describe('charsets of the device', () => {
  const cases = [
    { text: 'Door 1', charset: 'GB2312', hex: '446f6f722031' },
    { text: '前门', charset: 'GB2312', hex: 'c7b0c3c5' },
    // A character that GB2312 has not, and GB18030 has.
    { text: '鎔', charset: 'GB2312', hex: '3f' },
    { text: '鎔', charset: 'GB18030', hex: 'e667' },
    { text: '𠀀😀', charset: 'GB18030', hex: '95328236' + '9439fc36' },
    { text: '㐀', charset: 'GB18030', hex: '8139ee39' },
    { text: '前', charset: 'UTF-8', hex: 'e5898d' },
  ] as const
  for (const { text, charset, hex } of cases) {
    it(`writes ${text} in ${charset}`, () => expect(encodeText(text, charset).toString('hex')).to.equal(hex))
  }

  it('writes in GB18030 what is read again', () => {
    const text = '前门摄像机 A-1 鎔㐀𠮷'.normalize()
    const declared = `<?xml version="1.0" encoding="gb18030"?>${text}`
    expect(decodeText(encodeText(declared, 'GB18030'))).to.equal(declared)
  })

  it('reads by the declaration, and UTF-8 without one', () => {
    const declared = encodeText('<?xml version="1.0" encoding="GB2312" ?><a>前</a>', 'GB2312')
    expect(decodeText(declared)).to.include('前')
    expect(decodeText(Buffer.from('<a>前</a>'))).to.equal('<a>前</a>')
  })
})
