import { expect } from 'chai'
import { printable, printableLines } from './printable.ts'

describe('printable text', () => {
  const cases = [
    { name: 'an escape sequence', text: '\u001b[2Jx', shown: '\\u001b[2Jx' },
    { name: 'a control sequence of one character', text: 'a\u009b31mb', shown: 'a\\u009b31mb' },
    { name: 'a bell and a delete', text: '\u0007\u007f', shown: '\\u0007\\u007f' },
    { name: 'a line that would be another', text: 'a\nb\rc\u2028d', shown: 'a\\u000ab\\u000dc\\u2028d' },
    { name: 'an override of the direction', text: 'a\u202etxt.exe', shown: 'a\\u202etxt.exe' },
    { name: 'a format character beyond 16 bits', text: '\u{e0041}', shown: '\\udb40\\udc41' },
    { name: 'words of any script', text: 'live/ä 摄像头 क्‍ष 👩‍🚀', shown: 'live/ä 摄像头 क्‍ष 👩‍🚀' },
  ]
  for (const { name, text, shown } of cases) {
    it(`shows ${name}`, () => expect(printable(text)).to.equal(shown))
  }

  it('keeps the lines of several, and JSON the same', () => {
    const value = { path: 'live/\u001b]0;x\u0007\u009b\u202e\u{e0041}\n' }
    const json = printableLines(JSON.stringify(value, null, 2))
    expect(json.split('\n')).to.have.length(3)
    expect(json).to.match(/^[ -~\n]*$/u)
    expect(JSON.parse(json)).to.eql(value)
  })
})
