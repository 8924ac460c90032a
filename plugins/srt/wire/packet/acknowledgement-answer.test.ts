import { expect } from 'chai'
import { acknowledgementAnswer } from './acknowledgement-answer.ts'
import { serializeControlPacket } from './control-packet.ts'

describe('the answer to an acknowledgement', () => {
  it('is the control packet, with the low bits of its time', () => {
    for (const number of [1, 0xffff_ffff]) {
      const packet = {
        kind: 'acknowledgedAcknowledgement',
        number,
        timestamp: 2 ** 32 + 7,
        destination: 0x3fff_fffe,
      } as const
      const answer = acknowledgementAnswer(packet.number, packet.timestamp, packet.destination)
      expect(answer).to.eql(serializeControlPacket(packet))
    }
  })
})
