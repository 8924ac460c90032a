import { serializeControlPacket } from '../packet/control-packet.ts'
import type { ExtensionMessage } from '../packet/extension-message.ts'
import { HANDSHAKE_TYPE, HANDSHAKE_VERSION, type HandshakePacket } from '../packet/handshake-packet.ts'
import { CONTROL_TYPE, destinationOf, HEADER_BYTES, isControl, readControlHeader } from '../packet/packet-header.ts'
import { NO_ADDRESS, RESEND_US, type ClientHandshake, type ClientHandshakeInit } from './client-handshake.ts'
import { type ConclusionFields, keyRefusal, requestFields, responseFields } from './conclusion.ts'
import { answer, conclude, type Negotiated, offer, ownLimits } from './negotiation.ts'
import { isRefusal, readHandshake, type ReceivedHandshake, refusalOf } from './read-handshake.ts'
import { REFUSAL_TYPE_BASE, REJECT_REASON } from './reject-reason.ts'

/** The options of a rendezvous end. */
export type RendezvousHandshakeInit = ClientHandshakeInit & {
  /** Random and not 0; the cookies decide which end is the initiator. */
  cookie: number
  /**
   * Takes the key material of the peer, when the peer is the initiator: resolves with the content of KMRSP, or `undefined` when the
   * passphrases differ. Without it, a peer that encrypts is refused.
   */
  takeKeys?: (message: Buffer) => Promise<Buffer | undefined>
}

const NO_EXTENSIONS: ConclusionFields = { encryptionField: 0, extensionField: 0, extensions: [] }

/**
 * One of two ends that call each other (draft-sharabayko-srt-01 section 4.3.2). The initiator repeats its request until
 * a response comes, and answers each response with an agreement; the responder repeats its response until the
 * agreement comes, or any datagram that only a connected end sends. So every loss is made up for by a repeat.
 */
export class RendezvousHandshake implements ClientHandshake {
  readonly #init: RendezvousHandshakeInit
  #state: 'handshaking' | 'connected' | 'refused' = 'handshaking'
  #startUs = 0
  #sentUs = 0
  #peerSocketId = 0
  #isInitiator = false
  #isTakingKeys = false
  /** The responder's answer to a request; undefined until its keys are taken. */
  #response: ConclusionFields | undefined
  #connect: (() => void) | undefined

  constructor(init: RendezvousHandshakeInit) {
    this.#init = init
  }

  start(nowUs: number): void {
    this.#startUs = nowUs
    this.#send(nowUs)
  }

  tick(nowUs: number): void {
    if (this.#state === 'handshaking' && nowUs - this.#sentUs >= RESEND_US) this.#send(nowUs)
  }

  receive(datagram: Buffer, nowUs: number): void {
    if (this.#state === 'refused') return
    const received = readHandshake(datagram)
    if (!received) return this.#hearConnected(datagram)
    const { handshake, destination } = received
    // A datagram for another socket id was meant for a socket that had this address before.
    if (destination !== 0 && destination !== this.#init.socketId) return
    if (this.#state === 'connected' && handshake.socketId !== this.#peerSocketId) return
    if (isRefusal(handshake)) {
      if (this.#state === 'handshaking') this.#end(handshake.type - REFUSAL_TYPE_BASE)
    } else if (handshake.type !== HANDSHAKE_TYPE.induction) {
      this.#meet(received, nowUs)
    }
  }

  #meet(received: ReceivedHandshake, nowUs: number): void {
    const { handshake, conclusion } = received
    const isNew = handshake.socketId !== this.#peerSocketId
    if (isNew && !this.#contest(handshake, nowUs)) return
    if (this.#isInitiator && conclusion.response) {
      this.#takeResponse(received, conclusion.response, nowUs)
    } else if (!this.#isInitiator && conclusion.request) {
      this.#takeRequest(received, conclusion.request, nowUs)
    } else if (!this.#isInitiator && handshake.type === HANDSHAKE_TYPE.agreement) {
      this.#connect?.()
    } else if (isNew) {
      this.#send(nowUs)
    }
  }

  /** Draft section 4.3.2: the greater cookie is the initiator's, by a difference of 32 bits, as libsrt takes it. */
  #contest({ version, socketId, cookie }: HandshakePacket, nowUs: number): boolean {
    this.#peerSocketId = socketId
    this.#response = this.#connect = undefined
    const difference = (this.#init.cookie - cookie) | 0
    this.#isInitiator = difference > 0
    if (version < HANDSHAKE_VERSION) this.#refuse(REJECT_REASON.version, nowUs)
    else if (difference === 0) this.#refuse(REJECT_REASON.rendezvousCookie, nowUs)
    return this.#state === 'handshaking'
  }

  #takeResponse(received: ReceivedHandshake, response: ExtensionMessage, nowUs: number): void {
    const { keyRequest, connected } = this.#init
    const { conclusion } = received
    if (this.#state === 'connected') return this.#write(HANDSHAKE_TYPE.agreement, NO_EXTENSIONS, nowUs)
    const reason = refusalOf(received) ?? keyRefusal(keyRequest, conclusion.keyResponse)
    if (reason !== undefined) return this.#refuse(reason, nowUs)
    const latencies = { receiveLatencyMs: response.sendLatencyMs, sendLatencyMs: response.receiveLatencyMs }
    const negotiated = this.#negotiated(received, response, latencies, nowUs)
    this.#write(HANDSHAKE_TYPE.agreement, NO_EXTENSIONS, nowUs)
    this.#state = 'connected'
    connected(negotiated, conclusion.keyResponse && Buffer.from(conclusion.keyResponse))
  }

  #takeRequest(received: ReceivedHandshake, request: ExtensionMessage, nowUs: number): void {
    if (this.#response) return this.#send(nowUs)
    if (this.#isTakingKeys) return
    const { takeKeys } = this.#init
    const keyRequest = received.conclusion.keyRequest && Buffer.from(received.conclusion.keyRequest)
    const isUnsecure = (keyRequest === undefined) !== (takeKeys === undefined)
    const reason = refusalOf(received) ?? (isUnsecure ? REJECT_REASON.unsecure : undefined)
    if (reason !== undefined) return this.#refuse(reason, nowUs)
    const message = answer(request, this.#init.terms)
    const negotiated = this.#negotiated(received, request, message, nowUs)
    const respond = (keyResponse?: Buffer): void => {
      this.#response = responseFields(message, keyResponse)
      this.#connect = () => {
        if (this.#state !== 'handshaking') return
        this.#state = 'connected'
        this.#init.connected(negotiated, keyRequest)
      }
    }
    if (takeKeys && keyRequest) {
      void this.#takeKeys(takeKeys(keyRequest), negotiated, respond, nowUs)
    } else {
      respond()
      this.#send(nowUs)
    }
  }

  async #takeKeys(
    taken: Promise<Buffer | undefined>,
    { peerSocketId }: Negotiated,
    respond: (keyResponse: Buffer) => void,
    nowUs: number,
  ): Promise<void> {
    this.#isTakingKeys = true
    const keyResponse = await taken.catch(() => undefined)
    this.#isTakingKeys = false
    if (this.#state !== 'handshaking' || peerSocketId !== this.#peerSocketId) return
    if (!keyResponse) return this.#refuse(REJECT_REASON.badSecret, nowUs)
    respond(keyResponse)
    this.#sentUs = -RESEND_US
  }

  /** Data or a keepalive proves that the initiator is connected, when its agreement was lost. */
  #hearConnected(datagram: Buffer): void {
    if (datagram.length < HEADER_BYTES || destinationOf(datagram) !== this.#init.socketId) return
    if (!isControl(datagram) || readControlHeader(datagram).type !== CONTROL_TYPE.handshake) this.#connect?.()
  }

  #negotiated(
    { handshake, timestamp }: ReceivedHandshake,
    peerMessage: ExtensionMessage,
    latencies: Pick<Negotiated, 'receiveLatencyMs' | 'sendLatencyMs'>,
    nowUs: number,
  ): Negotiated {
    const { socketId, sequence, terms } = this.#init
    const peerStartUs = nowUs - timestamp
    const startUs = this.#startUs
    return conclude({ socketId, sequence, startUs, terms, latencies, peer: handshake, peerMessage, peerStartUs })
  }

  #refuse(reason: number, nowUs: number): void {
    this.#write(REFUSAL_TYPE_BASE + reason, NO_EXTENSIONS, nowUs)
    this.#end(reason)
  }

  #end(reason: number): void {
    this.#state = 'refused'
    this.#init.refused(reason)
  }

  #send(nowUs: number): void {
    this.#sentUs = nowUs
    if (this.#peerSocketId === 0) return this.#write(HANDSHAKE_TYPE.waveAHand, NO_EXTENSIONS, nowUs)
    const { terms, streamId, keyRequest } = this.#init
    const fields = this.#isInitiator ? requestFields(offer(terms), streamId, keyRequest) : this.#response
    this.#write(HANDSHAKE_TYPE.conclusion, fields ?? NO_EXTENSIONS, nowUs)
  }

  #write(type: number, fields: ConclusionFields, nowUs: number): void {
    const { socketId, sequence, terms, cookie } = this.#init
    this.#init.send(
      serializeControlPacket({
        kind: 'handshake',
        timestamp: nowUs - this.#startUs,
        destination: this.#peerSocketId,
        handshake: {
          version: HANDSHAKE_VERSION,
          ...fields,
          sequence,
          ...ownLimits(terms),
          type,
          socketId,
          cookie,
          address: NO_ADDRESS,
        },
      }),
    )
  }
}
