import { expect } from 'chai'
import { SessionMeters } from './session-meters.ts'

describe('the throughput of all sessions', () => {
  it('is their bytes a second between two samples, whatever their protocol', () => {
    const meters = new SessionMeters()
    const { throughput } = meters
    meters.of('rtmp', 'publish').received.add(1_000_000)
    throughput.sample(1000)
    expect([throughput.receivedBps, throughput.sentBps]).to.eql([0, 0])
    meters.of('rtmp', 'publish').received.add(3000)
    meters.of('srt', 'publish').received.add(1000)
    meters.of('flv', 'play').sent.add(10_000)
    throughput.sample(3000)
    expect([throughput.receivedBps, throughput.sentBps]).to.eql([2000, 5000])
    throughput.sample(4000)
    expect([throughput.receivedBps, throughput.sentBps]).to.eql([0, 0])
    expect([throughput.receivedBytes, throughput.sentBytes]).to.eql([1_004_000, 10_000])
  })
})
