import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { type ControlPacket, parseControlPacket, serializeControlPacket } from '../packet/control-packet.ts'
import { stampAgain } from '../packet/packet-header.ts'
import { CallerHandshake } from './caller-handshake.ts'
import type { ConnectionRequest } from './connection-request.ts'
import { CLEAN, type Fate, losing, VirtualLink } from './fixtures/virtual-link.ts'
import { ListenerHandshake } from './listener-handshake.ts'
import type { Negotiated } from './negotiation.ts'
import { REJECT_REASON } from './reject-reason.ts'

const PEER = { remoteAddress: '192.0.2.7', remotePort: 4000 }
const KEYS = Buffer.concat([Buffer.alloc(15, 1), Buffer.from([4]), Buffer.alloc(40, 1)])
const STEP_US = 10_000

type Answer = { datagram: Buffer; negotiated?: Negotiated }

/** A caller, and a listener that keeps its answer for repeats as the plugin does. */
class Rig {
  readonly link: VirtualLink
  readonly caller: CallerHandshake
  readonly connected: Negotiated[] = []
  readonly refused: number[] = []
  readonly requests: ConnectionRequest[] = []
  keyMessage: Buffer | undefined
  answer: Answer | undefined
  readonly #listener: ListenerHandshake
  readonly #decide: (request: ConnectionRequest) => Answer

  constructor(
    fate: Fate = CLEAN,
    decide: (request: ConnectionRequest) => Answer = (request) => request.accept({ socketId: 5 }),
    keyRequest?: Buffer,
  ) {
    this.link = new VirtualLink(fate)
    this.#decide = decide
    this.#listener = new ListenerHandshake({
      secret: Buffer.from('a secret of this test'),
      nowUs: () => this.link.nowUs,
      terms: () => ({ receiveLatencyMs: 120, sendLatencyMs: 400 }),
    })
    this.caller = new CallerHandshake({
      socketId: 77,
      sequence: 1000,
      streamId: '#!::r=live/a,m=publish',
      ...(keyRequest && { keyRequest }),
      terms: { receiveLatencyMs: 200, sendLatencyMs: 300, mtuBytes: 1400 },
      send: (datagram) => this.link.send('left', datagram),
      connected: (negotiated, keyMessage) => {
        this.connected.push(negotiated)
        this.keyMessage = keyMessage
      },
      refused: (reason) => this.refused.push(reason),
    })
  }

  async run(durationMs = 3000): Promise<void> {
    this.caller.start(this.link.nowUs)
    const right = { receive: (datagram: Buffer) => this.#listen(datagram) }
    await this.link.run({ left: this.caller, right }, durationMs)
  }

  #listen(datagram: Buffer): void {
    const result = this.#listener.receive(datagram, PEER)
    if (!result) return
    if (result.kind !== 'request') return this.link.send('right', result.datagram)
    this.requests.push(result.request)
    this.answer ??= this.#decide(result.request)
    if (this.answer.negotiated) stampAgain(this.answer.datagram, this.link.nowUs - this.answer.negotiated.startUs)
    this.link.send('right', Buffer.from(this.answer.datagram))
  }
}

/** Both ends say the same of the connection, each from its side. */
function expectAgreement(rig: Rig): void {
  expect(rig.refused).to.deep.equal([])
  expect(rig.connected).to.have.length(1)
  const [caller, listener] = [rig.connected[0]!, rig.answer!.negotiated!]
  expect(caller).to.deep.include({
    socketId: listener.peerSocketId,
    peerSocketId: listener.socketId,
    sendSequence: listener.receiveSequence,
    receiveSequence: listener.sendSequence,
    receiveLatencyMs: listener.sendLatencyMs,
    sendLatencyMs: listener.receiveLatencyMs,
    maxPayloadBytes: listener.maxPayloadBytes,
    flowWindowPackets: listener.flowWindowPackets,
  })
}

describe('CallerHandshake', () => {
  it('connects to a listener on a clean link with four datagrams', async () => {
    const rig = new Rig()
    await rig.run()
    expectAgreement(rig)
    expect(rig.link.sent).to.have.length(4)
    expect(rig.connected[0]).to.deep.include({ receiveLatencyMs: 400, sendLatencyMs: 300, maxPayloadBytes: 1356 })
    expect(rig.requests[0]!.streamId).to.equal('#!::r=live/a,m=publish')
  })

  for (let lost = 0; lost < 4; lost += 1) {
    it(`connects though datagram ${lost} is lost, repeated or late`, async () => {
      for (const fate of [[], [5000, 15_000], [400_000]]) {
        const rig = new Rig((index) => (index === lost ? fate : [5000]))
        await rig.run()
        expectAgreement(rig)
      }
    })
  }

  it('connects over any link that lets one of each datagram through in the end', async () => {
    const delays = fc.array(fc.integer({ min: 1000, max: 600_000 }), { maxLength: 2 })
    await fc.assert(
      fc.asyncProperty(fc.array(delays, { maxLength: 12 }), async (fates) => {
        const rig = new Rig((index) => fates[index] ?? [5000])
        await rig.run(6000)
        expectAgreement(rig)
      }),
      { numRuns: rounds(100) },
    )
  })

  it('knows the time stamp 0 of the listener from an answer that was sent again', async () => {
    const rig = new Rig(losing(3, 5))
    await rig.run()
    expectAgreement(rig)
    expect(rig.connected[0]!.peerStartUs - rig.answer!.negotiated!.startUs).to.be.within(0, STEP_US)
    expect(rig.answer!.negotiated!.peerStartUs - rig.connected[0]!.startUs).to.be.within(0, STEP_US)
  })

  it('sends each 250 ms until there is an answer, and no more after it', async () => {
    const silent = new Rig(() => [])
    await silent.run(1100)
    expect(silent.link.sent).to.have.length(5)
    const rig = new Rig()
    await rig.run(3000)
    expect(rig.link.sent.filter(({ from }) => from === 'left')).to.have.length(2)
  })

  it('tells why it was refused', async () => {
    const rig = new Rig(CLEAN, (request) => ({ datagram: request.reject(REJECT_REASON.unauthorized) }))
    await rig.run()
    expect(rig.refused).to.deep.equal([1401])
    expect(rig.connected).to.deep.equal([])
  })

  it('takes the answer to its keys', async () => {
    const rig = new Rig(
      CLEAN,
      (request) => request.accept({ socketId: 5, ...(request.keyMaterial && { keyResponse: request.keyMaterial }) }),
      KEYS,
    )
    await rig.run()
    expectAgreement(rig)
    expect(rig.keyMessage).to.deep.equal(KEYS)
    const [, , conclusion] = rig.link.sent.map(({ datagram }) => parseControlPacket(datagram))
    expect((conclusion as ControlPacket & { kind: 'handshake' }).handshake).to.deep.include({
      encryptionField: 2,
      extensionField: 7,
    })
  })

  // libsrt 1.5.1 writes the state with its least significant byte first.
  for (const [state, reason] of [
    ['04000000', 'badSecret'],
    ['00000004', 'badSecret'],
    ['03000000', 'unsecure'],
    [undefined, 'unsecure'],
  ] as const) {
    it(`refuses to go on as ${reason} where the answer to its keys is ${state}, and says goodbye`, async () => {
      const rig = new Rig(
        CLEAN,
        (request) => request.accept({ socketId: 5, ...(state && { keyResponse: Buffer.from(state, 'hex') }) }),
        KEYS,
      )
      await rig.run()
      expect(rig.refused).to.deep.equal([REJECT_REASON[reason]])
      const last = parseControlPacket(rig.link.sent.at(-1)!.datagram)
      expect(last).to.deep.include({ kind: 'shutdown', destination: 5 })
    })
  }

  it('refuses a listener of version 4', () => {
    const rig = new Rig()
    rig.caller.start(0)
    const packet = parseControlPacket(rig.link.sent[0]!.datagram)!
    rig.caller.receive(serializeControlPacket({ ...packet, destination: 77 }), 5000)
    expect(rig.refused).to.deep.equal([REJECT_REASON.version])
  })

  it('passes over a refusal that is for another socket', async () => {
    const rig = new Rig(CLEAN, (request) => ({ datagram: request.reject(REJECT_REASON.unauthorized) }))
    await rig.run()
    const refusal = Buffer.from(rig.answer!.datagram)
    const other = new Rig()
    other.caller.start(0)
    refusal.writeUInt32BE(78, 12)
    other.caller.receive(refusal, 1000)
    expect(other.refused).to.deep.equal([])
  })

  it('passes over any garbage', () => {
    const rig = new Rig()
    rig.caller.start(0)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        rig.caller.receive(Buffer.from(bytes), 1000)
      }),
    )
    expect(rig.connected).to.deep.equal([])
  })
})
