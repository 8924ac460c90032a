import { expect } from 'chai'
import { ipWords } from './ip-words.ts'

const CASES: readonly [string, string][] = [
  ['127.0.0.1', '7f000001'],
  ['255.255.255.255', 'ffffffff'],
  ['::', '0'.repeat(32)],
  ['::1', `${'0'.repeat(31)}1`],
  ['fe80::', `fe80${'0'.repeat(28)}`],
  ['2001:db8::ab:c', '20010db8000000000000000000ab000c'],
  ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ['::ffff:192.0.2.1', `${'0'.repeat(20)}ffffc0000201`],
]

describe('the words of an IP address', () => {
  for (const [text, hex] of CASES) {
    it(`have the bytes of ${text}`, () => {
      const words = ipWords(text)
      expect(Buffer.from(words!.buffer).toString('hex')).to.equal(hex)
    })
  }

  for (const text of ['', 'localhost', '1.2.3', '1.2.3.4.5', ':::', 'fe80::1%eth0']) {
    it(`are not of ${JSON.stringify(text)}`, () => {
      expect(ipWords(text)).to.equal(undefined)
    })
  }
})
