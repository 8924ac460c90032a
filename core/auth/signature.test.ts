import { expect } from 'chai'
import { parseExpiry, sign, signatureFault, type SignatureCheck } from './signature.ts'

// printf '%s' 'pubkeylive/test6f000000' | md5sum
const SECRET = 'e391c610bf48f98b6889a630b4f7bfc9'
// The same with the expiry in capitals.
const SECRET_OF_CAPITALS = '170d07bdaacf850e51072e5cb97fc1d9'
const EXPIRY_SECONDS = 0x6f000000

const CHECK: SignatureCheck = {
  key: 'pubkey',
  streamPath: 'live/test',
  secret: SECRET,
  expire: '6f000000',
  nowSeconds: EXPIRY_SECONDS - 1,
}

const MISSING = 'it or its expiry is missing'
const NO_TIME = 'its expiry is not a hexadecimal time'
const LENGTH = 'it does not have 32 characters'
const WRONG = 'it is wrong'

const cases: readonly (readonly [string, Partial<SignatureCheck>, string | undefined])[] = [
  ['passes', {}, undefined],
  ['passes in capitals', { secret: SECRET.toUpperCase() }, undefined],
  ['passes in mixed case', { secret: SECRET.slice(0, 16).toUpperCase() + SECRET.slice(16) }, undefined],
  ['is over the expiry as sent', { secret: SECRET_OF_CAPITALS, expire: '6F000000' }, undefined],
  ['is not over another spelling of the expiry', { expire: '6F000000' }, WRONG],
  ['is not over leading zeros that were not sent', { expire: '006f000000' }, WRONG],
  ['passes in the second of its expiry', { nowSeconds: EXPIRY_SECONDS }, undefined],
  ['has expired a second later', { nowSeconds: EXPIRY_SECONDS + 1 }, 'it has expired'],
  ['is missing', { secret: undefined }, MISSING],
  ['has no expiry', { expire: undefined }, MISSING],
  ['is empty', { secret: '' }, LENGTH],
  ['is too short', { secret: SECRET.slice(1) }, LENGTH],
  ['is too long', { secret: `${SECRET}0` }, LENGTH],
  ['differs in the last character', { secret: `${SECRET.slice(0, -1)}8` }, WRONG],
  ['is made with another key', { key: 'subkey' }, WRONG],
  ['is made for another path', { streamPath: 'live/tes' }, WRONG],
  ['has an empty expiry', { expire: '' }, NO_TIME],
  ['has letters beyond f in its expiry', { expire: '6g000000' }, NO_TIME],
  ['has a prefix at its expiry', { expire: '0x6f000000' }, NO_TIME],
  ['has a sign at its expiry', { expire: '-6f000000' }, NO_TIME],
  ['has a space at its expiry', { expire: ' 6f000000' }, NO_TIME],
  ['has a line feed after its expiry', { expire: '6f000000\n' }, NO_TIME],
  ['has a fraction in its expiry', { expire: '6f0000.0' }, NO_TIME],
  ['has an endless expiry', { expire: 'f'.repeat(16) }, NO_TIME],
  // 1862270976 is the decimal spelling of the expiry; as hexadecimal it is far in the future, so only the hash differs.
  ['has a decimal expiry', { expire: '1862270976' }, WRONG],
]

describe('signature', () => {
  for (const [name, fields, fault] of cases) {
    it(name, () => expect(signatureFault({ ...CHECK, ...fields })).to.equal(fault))
  }

  it('is what md5sum makes of key, path and expiry', () => {
    expect(sign('pubkey', 'live/test', '6f000000')).to.equal(SECRET)
    expect(sign('pubkey', 'live/tést', '6f000000')).to.equal('d8cab62d114874b494030f93bb1a529f')
  })
})

describe('expiry', () => {
  const cases = [
    ['6F000000', 'hexadecimal', 0x6f000000],
    ['00000000006f000000', 'hexadecimal', 0x6f000000],
    ['7fffffffffffffff', 'hexadecimal', 2 ** 63],
    ['8000000000000000', 'hexadecimal', undefined],
    ['0x6f', 'hexadecimal', undefined],
    ['', 'hexadecimal', undefined],
    ['0'.repeat(65), 'hexadecimal', undefined],
    ['1862270976', 'decimal', 1_862_270_976],
    ['0000001862270976', 'decimal', 1_862_270_976],
    ['9223372036854775807', 'decimal', 2 ** 63],
    ['9223372036854775808', 'decimal', undefined],
    ['6f', 'decimal', undefined],
    ['1e9', 'decimal', undefined],
    ['', 'decimal', undefined],
  ] as const
  for (const [text, base, seconds] of cases) {
    it(`of "${text}" in ${base} is ${seconds ?? 'none'}`, () => expect(parseExpiry(text, base)).to.equal(seconds))
  }
})
