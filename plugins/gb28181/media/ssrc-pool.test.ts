import { expect } from 'chai'
import { StreamUnavailable } from 'sluice/sdk'
import { SsrcPool } from './ssrc-pool.ts'

describe('SSRCs of a domain', () => {
  it('tell live media and recordings apart, have the digits of the domain, and are no other stream’s', () => {
    const used = new Set<string>()
    const pool = new SsrcPool('3402000000', used)
    const live = Array.from({ length: 100 }, () => pool.take('live'))
    expect(new Set(live)).to.have.length(100)
    for (const ssrc of live) expect(ssrc).to.match(/^020000\d{4}$/u)
    expect(pool.take('history')).to.match(/^120000\d{4}$/u)
    expect(used).to.have.length(101)
  })

  it('are used again once they are given back, and not before', () => {
    const used = new Set<string>()
    const pool = new SsrcPool('3402000000', used)
    const all = Array.from({ length: 10_000 }, () => pool.take('live'))
    expect(() => pool.take('live')).to.throw(StreamUnavailable, 'no SSRC is free')
    expect(pool.take('history')).to.have.length(10)
    pool.release(all[77]!)
    expect(pool.take('live')).to.equal(all[77])
    for (const ssrc of used) pool.release(ssrc)
    expect(used).to.have.length(0)
  })

  it('are none that another generation uses, and never 0', () => {
    const used = new Set<string>()
    const [one, other] = [new SsrcPool('abc', used), new SsrcPool('abc', used)]
    const taken = Array.from({ length: 9999 }, (_, index) => (index % 2 === 0 ? one : other).take('live'))
    expect(new Set(taken)).to.have.length(9999)
    expect(taken).not.to.include('0000000000')
    expect(() => one.take('live')).to.throw(StreamUnavailable)
  })
})
