import { expect } from 'chai'
import type { RtpPacket } from './packet.ts'
import { unwrapRetransmission } from './retransmission.ts'

const packetOf = (payload: Buffer): RtpPacket => ({
  payloadType: 97,
  marker: true,
  sequenceNumber: 3,
  timestamp: 9e4,
  ssrc: 2,
  csrcs: [],
  payload,
})

describe('Packets that are sent again', () => {
  it('hold the number and the payload that they had at first', () => {
    expect(unwrapRetransmission(packetOf(Buffer.from([0xff, 0xfe, 7, 8])), 96, 1)).to.deep.include({
      payloadType: 96,
      marker: true,
      sequenceNumber: 65534,
      timestamp: 9e4,
      ssrc: 1,
      payload: Buffer.from([7, 8]),
    })
  })

  it('hold nothing where they probe the network', () => {
    for (const size of [0, 1, 2]) expect(unwrapRetransmission(packetOf(Buffer.alloc(size)), 96, 1)).to.equal(undefined)
  })
})
