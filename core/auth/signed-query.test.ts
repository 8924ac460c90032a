import { expect } from 'chai'
import { effectiveConfig } from 'sluice/sdk/testing'
import { signedQuery } from './signed-query.ts'

const SESSION = { protocol: 'rtmp', action: 'publish', streamPath: 'live/test', expirySeconds: 0x6f00_0000 } as const
// printf '%s' 'pubkeylive/test6f000000' | md5sum
const SIGNATURE = 'e391c610bf48f98b6889a630b4f7bfc9'
// printf 'v1\nrtmp\npublish\nlive/test\n1862270976' | openssl dgst -sha256 -hmac policysecret -r
const TOKEN = 'f574fd3a977ffefb97fe37727d3060a40a4238edd120822ddf21a1a3c6c258a8'

const KEY = { enableauth: true, publish: { key: 'pubkey' } }
const POLICY = { enable: true, secret: 'policysecret' }

function queryFor(
  written: Readonly<Record<string, unknown>>,
  session: Partial<Parameters<typeof signedQuery>[1]> = {},
) {
  return signedQuery(effectiveConfig({}, written), { ...SESSION, ...session })
}

describe('signedQuery', () => {
  it('has nothing where no gate is on', () => {
    expect(queryFor({})).to.eql({})
    expect(queryFor({ publish: { key: 'pubkey' } }), 'a key without enable_auth').to.eql({})
    expect(queryFor(KEY, { action: 'play' }), 'a direction without a key').to.eql({})
    expect(queryFor({ signed_policy: { ...POLICY, protocols: ['flv'] } }), 'another protocol').to.eql({})
  })

  it('signs with the key of the direction, the expiry in hexadecimal', () => {
    expect(queryFor(KEY)).to.eql({ secret: SIGNATURE, expire: '6f000000' })
    const renamed = { ...KEY, secretargname: 's', publish: { key: 'pubkey', expireargname: 'e' } }
    expect(queryFor(renamed)).to.eql({ s: SIGNATURE, e: '6f000000' })
  })

  it('makes a token of the signed policy, the expiry in decimal', () => {
    expect(queryFor({ signed_policy: POLICY })).to.eql({ policy: TOKEN, expire: '1862270976' })
  })

  it('has both where both are on, and refuses to put both expiries into one parameter', () => {
    const apart = { ...POLICY, expire_query: 'until' }
    expect(queryFor({ ...KEY, signed_policy: apart })).to.eql({
      secret: SIGNATURE,
      expire: '6f000000',
      policy: TOKEN,
      until: '1862270976',
    })
    expect(() => queryFor({ ...KEY, signed_policy: POLICY })).to.throw("both read 'expire'")
  })
})
