import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { parseControlPacket, serializeControlPacket } from '../packet/control-packet.ts'
import { HANDSHAKE_TYPE } from '../packet/handshake-packet.ts'
import { CLEAN, type Fate, VirtualLink } from './fixtures/virtual-link.ts'
import type { Negotiated } from './negotiation.ts'
import { REJECT_REASON } from './reject-reason.ts'
import { RendezvousHandshake, type RendezvousHandshakeInit } from './rendezvous-handshake.ts'

const STEP_US = 10_000
const LEFT_KEYS = Buffer.alloc(56, 4)
const RIGHT_KEYS = Buffer.alloc(56, 6)

type Side = 'left' | 'right'
type Options = Partial<Record<Side, Partial<RendezvousHandshakeInit>>>

/** Two ends; the left one has the greater cookie, and is the initiator, unless it is told another. */
class Rig {
  readonly link: VirtualLink
  readonly ends: Record<Side, RendezvousHandshake>
  readonly connected: Record<Side, Negotiated[]> = { left: [], right: [] }
  readonly refused: Record<Side, number[]> = { left: [], right: [] }
  readonly keyMessages: Partial<Record<Side, Buffer | undefined>> = {}

  constructor(fate: Fate = CLEAN, options: Options = {}) {
    this.link = new VirtualLink(fate)
    this.ends = {
      left: this.#end('left', {
        socketId: 77,
        sequence: 1000,
        cookie: 9,
        terms: { receiveLatencyMs: 120, sendLatencyMs: 400, mtuBytes: 1400 },
        ...options.left,
      }),
      right: this.#end('right', {
        socketId: 5,
        sequence: 2000,
        cookie: 8,
        terms: { receiveLatencyMs: 200, sendLatencyMs: 300, flowWindowPackets: 4096 },
        ...options.right,
      }),
    }
  }

  #end(
    side: Side,
    options: Pick<RendezvousHandshakeInit, 'socketId' | 'sequence' | 'cookie' | 'terms'>,
  ): RendezvousHandshake {
    return new RendezvousHandshake({
      streamId: '',
      send: (datagram) => this.link.send(side, datagram),
      connected: (negotiated, keyMessage) => {
        this.connected[side].push(negotiated)
        this.keyMessages[side] = keyMessage
      },
      refused: (reason) => this.refused[side].push(reason),
      ...options,
    })
  }

  async run(durationMs = 4000, rightStartsAfterMs = 0): Promise<void> {
    const deaf = { receive: () => undefined }
    this.ends.left.start(this.link.nowUs)
    if (rightStartsAfterMs > 0) await this.link.run({ left: this.ends.left, right: deaf }, rightStartsAfterMs)
    this.ends.right.start(this.link.nowUs)
    await this.link.run(this.ends, durationMs)
  }

  types(side: Side): (number | undefined)[] {
    return this.link.sent
      .filter(({ from }) => from === side)
      .map(({ datagram }) => {
        const packet = parseControlPacket(datagram)
        return packet?.kind === 'handshake' ? packet.handshake.type : undefined
      })
  }
}

/** Both ends are connected once, and say the same of the connection, each from its side. */
function expectAgreement(rig: Rig): void {
  expect(rig.refused).to.deep.equal({ left: [], right: [] })
  expect([rig.connected.left.length, rig.connected.right.length]).to.deep.equal([1, 1])
  const [left, right] = [rig.connected.left[0]!, rig.connected.right[0]!]
  expect(left).to.deep.include({
    socketId: right.peerSocketId,
    peerSocketId: right.socketId,
    sendSequence: right.receiveSequence,
    receiveSequence: right.sendSequence,
    receiveLatencyMs: right.sendLatencyMs,
    sendLatencyMs: right.receiveLatencyMs,
    maxPayloadBytes: right.maxPayloadBytes,
    flowWindowPackets: right.flowWindowPackets,
  })
  expect(left).to.deep.include({ sendSequence: 1000, receiveSequence: 2000, receiveLatencyMs: 300, sendLatencyMs: 400 })
}

const ROLES: [string, Options][] = [
  ['the left end initiates', {}],
  ['the right end initiates', { left: { cookie: 7 } }],
]

const withKeys = (options: Options, taken: (message: Buffer) => Promise<Buffer | undefined>): Options => ({
  left: { ...options.left, keyRequest: LEFT_KEYS, takeKeys: taken },
  right: { ...options.right, keyRequest: RIGHT_KEYS, takeKeys: taken },
})

const late = async (message: Buffer): Promise<Buffer> => {
  for (let turn = 0; turn < 80; turn += 1) await Promise.resolve()
  return message
}

describe('RendezvousHandshake', () => {
  for (const [role, options] of ROLES) {
    describe(`where ${role}`, () => {
      it('connects both ends that start together', async () => {
        const rig = new Rig(CLEAN, options)
        await rig.run()
        expectAgreement(rig)
        for (const side of ['left', 'right'] as const) {
          const other = side === 'left' ? 'right' : 'left'
          expect(rig.connected[side][0]!.peerStartUs - rig.connected[other][0]!.startUs).to.be.within(0, STEP_US)
        }
        expect(rig.link.sent.length).to.be.below(9)
      })

      it('connects where one end starts later', async () => {
        const rig = new Rig(CLEAN, options)
        await rig.run(4000, 1300)
        expectAgreement(rig)
      })

      for (let index = 0; index < 8; index += 1) {
        it(`connects though datagram ${index} is lost, repeated or late`, async () => {
          for (const fate of [[], [5000, 15_000], [5000, 900_000], [400_000]]) {
            for (const startsAfterMs of [0, 300]) {
              const rig = new Rig((at) => (at === index ? fate : [5000]), options)
              await rig.run(4000, startsAfterMs)
              expectAgreement(rig)
            }
          }
        })
      }

      it('connects over any link that lets some through in the end, with keys that take their time', async () => {
        const delays = fc.array(fc.integer({ min: 1000, max: 600_000 }), { maxLength: 2 })
        await fc.assert(
          fc.asyncProperty(fc.array(delays, { maxLength: 24 }), fc.nat(800), async (fates, startsAfterMs) => {
            const rig = new Rig((at) => fates[at] ?? [5000], withKeys(options, late))
            await rig.run(10_000, startsAfterMs)
            expectAgreement(rig)
          }),
          { numRuns: rounds(60) },
        )
      })

      it('takes the keys of the initiator', async () => {
        const taken: Buffer[] = []
        const rig = new Rig(
          CLEAN,
          withKeys(options, async (message) => {
            taken.push(message)
            return late(message)
          }),
        )
        await rig.run()
        expectAgreement(rig)
        const keys = role.includes('left') ? LEFT_KEYS : RIGHT_KEYS
        expect(taken).to.deep.equal([keys])
        expect(rig.keyMessages).to.deep.equal({ left: keys, right: keys })
      })

      it('refuses as badSecret, at both ends, where the passphrases differ', async () => {
        const rig = new Rig(
          CLEAN,
          withKeys(options, async () => undefined),
        )
        await rig.run()
        expect(rig.refused).to.deep.equal({ left: [REJECT_REASON.badSecret], right: [REJECT_REASON.badSecret] })
      })

      for (const side of ['left', 'right'] as const) {
        it(`refuses as unsecure where only the ${side} end encrypts`, async () => {
          const both = withKeys(options, late)
          const rig = new Rig(CLEAN, { ...options, [side]: both[side] })
          await rig.run()
          expect(rig.refused).to.deep.equal({ left: [REJECT_REASON.unsecure], right: [REJECT_REASON.unsecure] })
          expect(rig.connected).to.deep.equal({ left: [], right: [] })
        })
      }
    })
  }

  it('repeats the agreement for as long as the responder asks', async () => {
    const agreementsLost: Fate = (index) => (index >= 5 && index < 10 ? [] : [5000])
    const rig = new Rig(agreementsLost)
    await rig.run()
    expectAgreement(rig)
    expect(rig.types('left').filter((type) => type === HANDSHAKE_TYPE.agreement).length).to.be.above(1)
  })

  it('connects the responder by data or a keepalive, where the agreement is lost', async () => {
    for (const datagram of [
      serializeControlPacket({ kind: 'keepAlive', timestamp: 0, destination: 5 }),
      Buffer.from('00000001c00000010000000000000005474011', 'hex'),
    ]) {
      const rig = new Rig((index, from) => (from === 'left' && index > 3 ? [] : [5000]))
      await rig.run(1000)
      expect(rig.connected.left).to.have.length(1)
      rig.ends.right.receive(serializeControlPacket({ kind: 'keepAlive', timestamp: 0, destination: 6 }), 0)
      expect(rig.connected.right).to.have.length(0)
      rig.ends.right.receive(datagram, rig.link.nowUs)
      expectAgreement(rig)
    }
  })

  it('takes the difference of the cookies as one of 32 bits', async () => {
    const rig = new Rig(CLEAN, { left: { cookie: 0x7fffffff }, right: { cookie: 0x80000001 } })
    await rig.run()
    expectAgreement(rig)
    expect(rig.types('right')).to.include(HANDSHAKE_TYPE.agreement)
  })

  it('refuses where both cookies are the same', async () => {
    const rig = new Rig(CLEAN, { left: { cookie: 8 } })
    await rig.run()
    expect(rig.refused.left).to.deep.equal([REJECT_REASON.rendezvousCookie])
    expect(rig.refused.right).to.deep.equal([REJECT_REASON.rendezvousCookie])
  })

  it('begins anew with a peer that was started again meanwhile', async () => {
    const rig = new Rig()
    const before = new Rig(CLEAN, { right: { socketId: 4, cookie: 10 } })
    before.ends.right.start(0)
    rig.ends.left.receive(before.link.sent[0]!.datagram, 0)
    await rig.run()
    expectAgreement(rig)
  })

  it('passes over any garbage', () => {
    const rig = new Rig()
    rig.ends.left.start(0)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        rig.ends.left.receive(Buffer.from(bytes), 1000)
      }),
    )
    expect(rig.connected.left).to.deep.equal([])
    expect(rig.refused.left).to.deep.equal([])
  })

  it('does not take an agreement that is for the socket that was at its address before', async () => {
    const rig = new Rig((_, from) => (from === 'right' ? [5000] : []))
    await rig.run(100)
    const { link, ends, connected } = rig
    const request = new Rig()
    await request.run()
    const sent = request.link.sent.filter(({ from }) => from === 'left').map(({ datagram }) => datagram)
    const conclusion = sent.find((datagram) => parseControlPacket(datagram)?.destination === 5)!
    const agreement = Buffer.from(sent.at(-1)!)
    ends.right.receive(conclusion, link.nowUs)
    agreement.writeUInt32BE(4, 12)
    ends.right.receive(agreement, link.nowUs)
    expect(connected.right).to.eql([])
    agreement.writeUInt32BE(5, 12)
    ends.right.receive(agreement, link.nowUs)
    expect(connected.right).to.have.length(1)
  })
})
