import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalAddress, mayReach } from './ip-address.ts'

describe('canonicalAddress', () => {
  for (const [text, spelt] of [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:0DB8:0:0::1', '2001:db8::1'],
    ['::ffff:192.0.2.9', '192.0.2.9'],
    ['media.example', 'media.example'],
  ] as const)
    it(`of ${text} is ${spelt}`, () => expect(canonicalAddress(text)).to.equal(spelt))

  it('is there for any text', () => {
    fc.assert(fc.property(fc.string(), (text) => void canonicalAddress(text)))
    fc.assert(fc.property(fc.ipV6(), (text) => canonicalAddress(canonicalAddress(text)) === canonicalAddress(text)))
  })
})

describe('mayReach', () => {
  const cases: readonly [local: string, remote: string, may: boolean][] = [
    ['192.0.2.2', '198.51.100.9', true],
    ['192.0.2.2', '2001:db8::9', false],
    ['192.0.2.2', '127.0.0.1', false],
    ['127.0.0.1', '198.51.100.9', false],
    ['127.0.0.1', '127.0.0.1', true],
    ['::', '198.51.100.9', true],
    ['::', '2001:db8::9', true],
    ['0.0.0.0', '2001:db8::9', false],
  ]
  for (const [local, remote, may] of cases) {
    it(`${may ? 'lets' : 'does not let'} ${local} try ${remote}`, () => expect(mayReach(local, remote)).to.equal(may))
  }
})
