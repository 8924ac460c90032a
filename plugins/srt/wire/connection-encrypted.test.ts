import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { acceptKeys, offerKeys, type ConnectionKeys } from './crypto/connection-keys.ts'
import { VirtualPair } from './fixtures/virtual-pair.ts'
import { HEADER_BYTES, isControl } from './packet/packet-header.ts'

const PASSPHRASE = 'a passphrase of both'
const RENEWAL = { renewAfterPackets: 1000, announcePackets: 200 }

async function agree(keyBytes: 16 | 24 | 32): Promise<[ConnectionKeys, ConnectionKeys]> {
  const offered = await offerKeys({ passphrase: PASSPHRASE, keyBytes, renewal: RENEWAL })
  const accepted = await acceptKeys(offered.sending.message, PASSPHRASE)
  return [offered, accepted!]
}

function numbered(count: number): Buffer[] {
  return Array.from({ length: count }, (_, number) => {
    const bytes = Buffer.alloc(188 * 3, 7)
    bytes.writeUInt32BE(number, 0)
    return bytes
  })
}

describe('Connection, encrypted', () => {
  for (const keyBytes of [16, 24, 32] as const) {
    it(`renews keys of ${keyBytes} bytes in the middle of loss`, async () => {
      const flags = new Set<number>()
      const watch = (datagram: Buffer) => {
        if (!isControl(datagram)) flags.add((datagram[4]! >> 3) & 3)
        // Nothing of a payload is to be seen.
        if (!isControl(datagram)) expect(datagram.includes(Buffer.alloc(32, 7), HEADER_BYTES)).to.equal(false)
        return false
      }
      const [senderKeys, receiverKeys] = await agree(keyBytes)
      const pair = new VirtualPair({
        senderKeys,
        receiverKeys,
        latencyMs: 800,
        forth: {
          lossShare: 0.1,
          jitterMs: 30,
          isLost: watch,
        },
        back: {
          lossShare: 0.1,
          jitterMs: 30,
        },
      })
      const payloads = numbered(6000)
      for (let sent = 0; sent < payloads.length + 500; sent += 10) {
        pair.run(20, (ms) => {
          const payload = payloads[sent + ms / 2]
          if (payload !== undefined) pair.sender.send(payload)
        })
        // A key that comes is taken in a turn of its own.
        await turn()
      }
      pair.run(2000)
      expect(pair.delivered.length).to.equal(payloads.length)
      expect(Buffer.concat(pair.delivered).equals(Buffer.concat(payloads))).to.equal(true)
      expect(flags).to.eql(new Set([1, 2]))
      expect(pair.receiver.statistics().pktRcvUndecryptTotal).to.equal(0)
    })
  }

  it('does not take what is not encrypted, nor what is where no keys were agreed on', async () => {
    const [sending, receiving] = await agree(16)
    for (const keys of [
      [sending, undefined],
      [undefined, receiving],
    ] as const) {
      const pair = new VirtualPair({ senderKeys: keys[0], receiverKeys: keys[1] })
      for (const payload of numbered(10)) pair.sender.send(payload)
      pair.run(1000)
      expect(pair.delivered).to.eql([])
      expect(pair.receiver.statistics().pktRcvUndecryptTotal).to.equal(10)
    }
  })
})
