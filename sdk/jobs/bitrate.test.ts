import { expect } from 'chai'
import { Bitrate } from './bitrate.ts'

describe('Bitrate', () => {
  it('is that of the time between two looks', () => {
    let bytes = 0
    const bitrate = new Bitrate(() => bytes, 0)
    bytes = 250_000
    expect(bitrate.sample(2000)).to.equal(1_000_000)
    bytes += 125_000
    expect(bitrate.sample(2100)).to.equal(1_000_000)
    expect(bitrate.sample(3000)).to.equal(1_000_000)
    expect(bitrate.sample(4000)).to.equal(0)
  })

  it('counts a new try from 0', () => {
    let bytes = 1_000_000
    const bitrate = new Bitrate(() => bytes, 0)
    bitrate.sample(1000)
    bytes = 125
    expect(bitrate.sample(2000)).to.equal(1000)
  })
})
