import { expect } from 'chai'
import { NONCE_LIFETIME_MS } from 'sluice/sdk/http'
import { useNonce, type UsedNonces } from './nonce-uses.ts'

describe('a nonce', () => {
  it('holds once without qop', () => {
    const used: UsedNonces = new Map()
    expect([useNonce(used, 'a', undefined, 0), useNonce(used, 'a', undefined, 1)]).to.eql([true, false])
    expect(useNonce(used, 'b', undefined, 1)).to.equal(true)
  })

  it('holds as long as its count goes up, in whatever steps', () => {
    const used: UsedNonces = new Map()
    const uses = ['00000001', '00000001', '00000002', '0000000a', '00000009', '0000000b']
    expect(uses.map((nc) => useNonce(used, 'a', nc, 0))).to.eql([true, false, true, true, false, true])
    expect(useNonce(used, 'a', undefined, 0)).to.equal(true)
    expect(useNonce(used, 'a', 'ffffffff', 0)).to.equal(false)
  })

  it('is forgotten when it is out of date, and the oldest when there are too many', () => {
    const used: UsedNonces = new Map()
    for (let number = 0; number < 100_500; number++) useNonce(used, String(number), undefined, number / 1000)
    expect(used.size).to.be.at.most(100_000)
    expect(used.has('0')).to.equal(false)
    useNonce(used, 'late', undefined, NONCE_LIFETIME_MS + 1000)
    expect([...used.keys()]).to.eql(['late'])
  })
})
