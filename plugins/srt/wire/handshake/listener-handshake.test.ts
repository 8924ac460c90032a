import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { type ControlPacket, parseControlPacket, serializeControlPacket } from '../packet/control-packet.ts'
import { serializeExtensionMessage } from '../packet/extension-message.ts'
import { EXTENSION_TYPE, type HandshakeExtension } from '../packet/handshake-extension.ts'
import { HANDSHAKE_TYPE, type HandshakePacket } from '../packet/handshake-packet.ts'
import { serializeTurnedText } from '../packet/turned-text.ts'
import { ListenerHandshake } from './listener-handshake.ts'
import { REJECT_REASON } from './reject-reason.ts'

const PEER = { remoteAddress: '192.0.2.7', remotePort: 4000 }
const TERMS = { receiveLatencyMs: 120, sendLatencyMs: 120 }
const INDUCTION: HandshakePacket = {
  version: 4,
  encryptionField: 0,
  extensionField: 2,
  sequence: 1000,
  mtuBytes: 1500,
  flowWindowPackets: 8192,
  type: HANDSHAKE_TYPE.induction,
  socketId: 77,
  cookie: 0,
  address: Buffer.alloc(16),
  extensions: [],
}
const REQUEST = { version: 0x010501, flags: 0xbf, receiveLatencyMs: 80, sendLatencyMs: 300 }

const write = (handshake: HandshakePacket, timestamp = 0): Buffer =>
  serializeControlPacket({ kind: 'handshake', timestamp, destination: 0, handshake })

function read(datagram: Buffer): ControlPacket & { kind: 'handshake' } {
  const packet = parseControlPacket(datagram)
  if (packet?.kind !== 'handshake') throw new Error('no handshake')
  return packet
}

class Rig {
  nowUs = 1_000_000_000
  readonly listener = new ListenerHandshake({
    secret: Buffer.from('a secret of this test'),
    nowUs: () => this.nowUs,
    terms: () => TERMS,
  })

  cookie(): number {
    const answer = this.listener.receive(write(INDUCTION), PEER)
    if (answer?.kind !== 'answer') throw new Error('no answer to the induction')
    return read(answer.datagram).handshake.cookie
  }

  conclusion(fields: Partial<HandshakePacket> = {}, more: HandshakeExtension[] = [], flags = REQUEST.flags): Buffer {
    const request = serializeExtensionMessage({ ...REQUEST, flags })
    const extensions = [{ type: EXTENSION_TYPE.termsRequest as number, content: request }, ...more]
    const conclusion = { ...INDUCTION, version: 5, type: HANDSHAKE_TYPE.conclusion, cookie: this.cookie(), extensions }
    return write({ ...conclusion, ...fields }, 5000)
  }

  request(datagram: Buffer) {
    const result = this.listener.receive(datagram, PEER)
    if (result?.kind !== 'request') throw new Error(`no request but ${result?.kind}`)
    return result.request
  }
}

describe('ListenerHandshake', () => {
  it('answers an induction with a cookie and the mark of version 5', () => {
    const answer = new Rig().listener.receive(write(INDUCTION), PEER)
    if (answer?.kind !== 'answer') throw new Error('no answer')
    const { handshake, destination } = read(answer.datagram)
    expect(destination).to.equal(77)
    expect(handshake).to.deep.include({ version: 5, extensionField: 0x4a17, type: 1, socketId: 77, sequence: 1000 })
    expect(answer.datagram).to.have.length(write(INDUCTION).length)
  })

  it('makes a request of a conclusion, and of each repeat of it again', () => {
    const rig = new Rig()
    const text = { type: EXTENSION_TYPE.streamId, content: serializeTurnedText('publish:/live/a') }
    const keys = { type: EXTENSION_TYPE.keyRequest, content: Buffer.alloc(56, 7) }
    const datagram = rig.conclusion({}, [keys, text])
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const request = rig.request(datagram)
      expect(request).to.deep.include({ peerSocketId: 77, streamId: 'publish:/live/a', keyMaterial: keys.content })
    }
  })

  it('keeps nothing of the datagram that is borrowed', () => {
    const rig = new Rig()
    const keys = { type: EXTENSION_TYPE.keyRequest, content: Buffer.alloc(56, 7) }
    const datagram = rig.conclusion({}, [keys])
    const request = rig.request(datagram)
    datagram.fill(0xff)
    expect(request.keyMaterial).to.deep.equal(keys.content)
    expect(read(request.accept({ socketId: 5 }).datagram).handshake.address).to.deep.equal(Buffer.alloc(16))
  })

  it('accepts: both ends take the longer latencies, the smaller limits and the sequence of the caller', () => {
    const rig = new Rig()
    const request = rig.request(rig.conclusion({ mtuBytes: 1400, flowWindowPackets: 25_600 }))
    rig.nowUs += 3_000_000
    const { datagram, negotiated } = request.accept({ socketId: 5 })
    expect(negotiated).to.deep.equal({
      socketId: 5,
      peerSocketId: 77,
      peerVersion: 0x010501,
      sendSequence: 1000,
      receiveSequence: 1000,
      startUs: rig.nowUs,
      peerStartUs: rig.nowUs - 3_000_000 - 5000,
      receiveLatencyMs: 300,
      sendLatencyMs: 120,
      peerStampsTimes: true,
      peerDropsTooLate: true,
      peerReportsLossPeriodically: true,
      peerHasRetransmitFlag: true,
      maxPayloadBytes: 1356,
      flowWindowPackets: 8192,
    })
    const { handshake, destination, timestamp } = read(datagram)
    expect({ destination, timestamp }).to.deep.equal({ destination: 77, timestamp: 0 })
    expect(handshake).to.deep.include({ version: 5, extensionField: 1, socketId: 5, mtuBytes: 1400 })
    expect(handshake.extensions).to.deep.equal([
      {
        type: EXTENSION_TYPE.termsResponse,
        content: Buffer.from('000105010000003f012c0078', 'hex'),
      },
    ])
  })

  it('accepts with an answer to the keys', () => {
    const rig = new Rig()
    const keys = { type: EXTENSION_TYPE.keyRequest, content: Buffer.alloc(56, 7) }
    const datagram = rig.conclusion({}, [keys])
    const answer = rig.request(datagram).accept({ socketId: 5, keyResponse: keys.content }).datagram
    expect(read(answer).handshake.extensionField).to.equal(3)
    expect(read(answer).handshake.extensions[1]).to.deep.equal({ ...keys, type: EXTENSION_TYPE.keyResponse })
    expect(answer.length).to.equal(datagram.length)
  })

  it('rejects with the reason in the type', () => {
    const rig = new Rig()
    const datagram = rig.conclusion()
    const rejection = rig.request(datagram).reject(REJECT_REASON.unauthorized)
    expect(read(rejection)).to.have.property('destination', 77)
    expect(read(rejection).handshake).to.deep.include({ type: 2401, extensions: [] })
    expect(rejection.length).to.be.below(datagram.length)
  })

  const text = (type: number, content: string) => [{ type, content: serializeTurnedText(content) }]
  const refused: [string, keyof typeof REJECT_REASON, (rig: Rig) => Buffer][] = [
    ['version 4', 'version', (rig) => rig.conclusion({ version: 4, extensionField: 2 })],
    ['no extension message', 'rogue', (rig) => rig.conclusion({ extensions: [] })],
    ['a stream of bytes', 'messageApi', (rig) => rig.conclusion({}, [], 0xff)],
    ['file transfer', 'congestion', (rig) => rig.conclusion({}, text(EXTENSION_TYPE.congestion, 'file'))],
    ['a packet filter', 'filter', (rig) => rig.conclusion({}, text(EXTENSION_TYPE.filter, 'fec,cols:10'))],
    ['a group', 'group', (rig) => rig.conclusion({}, [{ type: EXTENSION_TYPE.group, content: Buffer.alloc(8) }])],
    ['a packet too small for TS', 'rogue', (rig) => rig.conclusion({ mtuBytes: 200 })],
    ['no flow window', 'rogue', (rig) => rig.conclusion({ flowWindowPackets: 0 })],
  ]
  for (const [what, reason, make] of refused) {
    it(`refuses ${what} as ${reason}`, () => {
      const rig = new Rig()
      const datagram = make(rig)
      const answer = rig.listener.receive(datagram, PEER)
      if (answer?.kind !== 'refusal') throw new Error(`${answer?.kind}`)
      expect(answer.reason).to.equal(REJECT_REASON[reason])
      expect(read(answer.datagram).handshake.type).to.equal(1000 + REJECT_REASON[reason])
      expect(answer.datagram.length).to.be.at.most(datagram.length)
    })
  }

  it('takes live mode that is named', () => {
    const rig = new Rig()
    rig.request(rig.conclusion({}, text(EXTENSION_TYPE.congestion, 'live')))
  })

  it('says nothing to a conclusion whose cookie is of another peer, too old or made up', () => {
    const rig = new Rig()
    const datagram = rig.conclusion()
    expect(rig.listener.receive(datagram, { ...PEER, remotePort: 4001 })).to.equal(undefined)
    expect(rig.listener.receive(rig.conclusion({ cookie: 1 }), PEER)).to.equal(undefined)
    rig.nowUs += 120_000_000
    expect(rig.listener.receive(datagram, PEER)).to.equal(undefined)
  })

  it('says nothing to what a listener is not asked, and to an induction that is cut off', () => {
    const { listener } = new Rig()
    for (const type of [HANDSHAKE_TYPE.waveAHand, HANDSHAKE_TYPE.agreement, 1002]) {
      expect(listener.receive(write({ ...INDUCTION, type }), PEER)).to.equal(undefined)
    }
    expect(listener.receive(write({ ...INDUCTION, socketId: 0 }), PEER)).to.equal(undefined)
    expect(listener.receive(write(INDUCTION).subarray(0, 63), PEER)).to.equal(undefined)
    expect(listener.receive(Buffer.from('80010000000000000000000000000000', 'hex'), PEER)).to.equal(undefined)
    expect(listener.receive(Buffer.alloc(0), PEER)).to.equal(undefined)
  })

  it('is never louder than what it hears, whatever that is', () => {
    const rig = new Rig()
    const bytes = fc
      .tuple(
        fc.constantFrom(write(INDUCTION), rig.conclusion(), rig.conclusion({}, text(EXTENSION_TYPE.streamId, 'a/b'))),
        fc.array(fc.tuple(fc.nat(120), fc.nat(255)), { maxLength: 4 }),
        fc.uint8Array(),
      )
      .map(([datagram, changes, tail]) => {
        const copy = Buffer.concat([datagram, tail])
        for (const [at, value] of changes) copy[at % copy.length] = value
        return copy
      })
    fc.assert(
      fc.property(bytes, (datagram) => {
        const result = rig.listener.receive(datagram, PEER)
        if (!result) return
        const answers =
          result.kind !== 'request'
            ? [result.datagram]
            : [result.request.accept({ socketId: 5 }).datagram, result.request.reject(1401)]
        for (const answer of answers) expect(answer.length).to.be.at.most(datagram.length)
      }),
      { numRuns: rounds(1000) },
    )
  })
})
