import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../test/support/soak.ts'
import { VirtualPair } from './fixtures/virtual-pair.ts'
import { serializeControlPacket } from './packet/control-packet.ts'
import { writeDataHeader } from './packet/data-packet.ts'
import { HEADER_BYTES } from './packet/packet-header.ts'

const WORD = fc.oneof(fc.nat(0xffff_ffff), fc.constantFrom(0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff))
const SEQUENCE = fc.oneof(fc.integer({ min: 990, max: 1100 }), fc.nat(0x7fff_ffff))
const RANGE = fc.tuple(SEQUENCE, fc.nat(20_000)).map(([first, more]) => [first, (first + more) & 0x7fff_ffff] as const)

const CONTROL = fc.oneof(
  fc.record({ kind: fc.constantFrom('keepAlive' as const, 'congestionWarning' as const) }),
  fc.record({ kind: fc.constant('lossReport' as const), ranges: fc.array(RANGE, { minLength: 1, maxLength: 180 }) }),
  fc.record({ kind: fc.constant('lightAcknowledgement' as const), sequence: SEQUENCE }),
  fc.record({ kind: fc.constant('acknowledgedAcknowledgement' as const), number: WORD }),
  fc.record({ kind: fc.constant('dropRequest' as const), messageNumber: WORD, first: SEQUENCE, last: SEQUENCE }),
  fc.record({ kind: fc.constant('keyMaterial' as const), isRequest: fc.boolean(), message: bytes(200) }),
  fc.record({
    kind: fc.constant('acknowledgement' as const),
    number: WORD,
    acknowledgement: fc.record({ sequence: SEQUENCE, rttUs: WORD, rttVarianceUs: WORD, freePackets: WORD }),
  }),
)

const CONTROL_DATAGRAM = fc
  .tuple(CONTROL, WORD)
  .map(([body, timestamp]) => serializeControlPacket({ ...body, timestamp, destination: 1 }))

const DATA_DATAGRAM = fc
  .tuple(SEQUENCE, WORD, fc.boolean(), fc.constantFrom(0 as const, 1 as const, 2 as const))
  .map(([sequence, timestamp, isRetransmitted, keyFlag]) => {
    const datagram = Buffer.alloc(HEADER_BYTES + 188)
    writeDataHeader(datagram, 0, { sequence, messageNumber: 1, keyFlag, isRetransmitted, timestamp, destination: 2 })
    return datagram
  })

function bytes(maxLength: number) {
  return fc.uint8Array({ maxLength }).map((array) => Buffer.from(array))
}

describe('Connection, given anything', () => {
  it('neither throws nor keeps more than its windows', () => {
    const datagrams = fc.array(fc.oneof(CONTROL_DATAGRAM, DATA_DATAGRAM, bytes(100)), { maxLength: 200 })
    fc.assert(
      fc.property(datagrams, (given) => {
        const pair = new VirtualPair({})
        let next = 0
        pair.run(400, (ms) => {
          if (ms % 5 === 0) pair.sender.send(Buffer.alloc(1316))
          const datagram = given[next++]
          if (datagram === undefined) return
          pair.sender.receive(Buffer.from(datagram))
          pair.receiver.receive(Buffer.from(datagram))
        })
        const { pktSndBuf } = pair.sender.statistics()
        expect(pktSndBuf).to.be.at.most(80)
        expect(pair.receiver.statistics().pktRcvBuf).to.be.at.most(8192)
      }),
      { numRuns: rounds(200) },
    )
  })
})
