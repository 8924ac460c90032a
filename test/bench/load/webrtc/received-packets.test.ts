import { expect } from 'chai'
import { ReceivedPackets } from './received-packets.ts'

describe('packets that a viewer has received', () => {
  it('misses those whose numbers were left out, over the wrap, until they come', () => {
    const packets = new ReceivedPackets()
    expect(packets.reception).to.equal(undefined)
    for (const number of [65_533, 65_534, 1, 2]) packets.see(7, number)
    expect(packets.lost).to.equal(2)
    expect(packets.reception).to.eql({ ssrc: 7, highestSequence: 65_538, packetsLost: 2 })
    packets.see(7, 65_535)
    expect(packets.lost).to.equal(1)
    packets.beginWindow()
    packets.see(7, 4)
    expect(packets.lost).to.equal(1)
  })
})
