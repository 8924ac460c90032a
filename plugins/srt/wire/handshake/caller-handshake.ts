import { serializeControlPacket } from '../packet/control-packet.ts'
import { HANDSHAKE_TYPE, HANDSHAKE_VERSION, type HandshakePacket } from '../packet/handshake-packet.ts'
import { NO_ADDRESS, RESEND_US, type ClientHandshake, type ClientHandshakeInit } from './client-handshake.ts'
import { keyRefusal, requestFields } from './conclusion.ts'
import { INDUCTION_MAGIC } from './listener-handshake.ts'
import { conclude, offer, ownLimits } from './negotiation.ts'
import { isRefusal, readHandshake, type ReceivedHandshake, refusalOf } from './read-handshake.ts'
import { REFUSAL_TYPE_BASE, REJECT_REASON } from './reject-reason.ts'

/** The version of an induction, and the socket type in its extension field: messages. */
const INDUCTION_VERSION = 4
const MESSAGE_SOCKET = 2

/** The caller's side of the handshake (draft-sharabayko-srt-01 section 4.3.1). */
export class CallerHandshake implements ClientHandshake {
  readonly #init: ClientHandshakeInit
  #startUs = 0
  #sentUs = 0
  #cookie: number | undefined
  #isDone = false

  constructor(init: ClientHandshakeInit) {
    this.#init = init
  }

  start(nowUs: number): void {
    this.#startUs = nowUs
    this.#send(nowUs)
  }

  tick(nowUs: number): void {
    if (!this.#isDone && nowUs - this.#sentUs >= RESEND_US) this.#send(nowUs)
  }

  receive(datagram: Buffer, nowUs: number): void {
    const received = this.#isDone ? undefined : readHandshake(datagram)
    if (received?.destination !== this.#init.socketId) return
    const { handshake } = received
    if (isRefusal(handshake)) {
      this.#refuse(handshake.type - REFUSAL_TYPE_BASE)
    } else if (handshake.type === HANDSHAKE_TYPE.induction && this.#cookie === undefined) {
      this.#beInvited(handshake, nowUs)
    } else if (handshake.type === HANDSHAKE_TYPE.conclusion && this.#cookie !== undefined) {
      this.#conclude(received, nowUs)
    }
  }

  #beInvited({ version, extensionField, cookie }: HandshakePacket, nowUs: number): void {
    if (version < HANDSHAKE_VERSION || extensionField !== INDUCTION_MAGIC) return this.#refuse(REJECT_REASON.version)
    this.#cookie = cookie
    this.#send(nowUs)
  }

  #conclude(received: ReceivedHandshake, nowUs: number): void {
    const { handshake, conclusion, timestamp } = received
    const { socketId, sequence, terms, keyRequest } = this.#init
    const { response } = conclusion
    const reason = refusalOf(received) ?? keyRefusal(keyRequest, conclusion.keyResponse)
    if (reason !== undefined || !response) {
      this.#init.send(
        serializeControlPacket({
          kind: 'shutdown',
          timestamp: nowUs - this.#startUs,
          destination: handshake.socketId,
        }),
      )
      return this.#refuse(reason ?? REJECT_REASON.rogue)
    }
    this.#isDone = true
    const negotiated = conclude({
      socketId,
      sequence,
      startUs: this.#startUs,
      terms,
      latencies: { receiveLatencyMs: response.sendLatencyMs, sendLatencyMs: response.receiveLatencyMs },
      peer: handshake,
      peerMessage: response,
      peerStartUs: nowUs - timestamp,
    })
    this.#init.connected(negotiated, conclusion.keyResponse && Buffer.from(conclusion.keyResponse))
  }

  #refuse(reason: number): void {
    this.#isDone = true
    this.#init.refused(reason)
  }

  #send(nowUs: number): void {
    this.#sentUs = nowUs
    const { socketId, sequence, terms, streamId, keyRequest } = this.#init
    const common = { sequence, socketId, ...ownLimits(terms), address: NO_ADDRESS }
    const handshake: HandshakePacket =
      this.#cookie === undefined
        ? {
            ...common,
            version: INDUCTION_VERSION,
            type: HANDSHAKE_TYPE.induction,
            cookie: 0,
            encryptionField: 0,
            extensionField: MESSAGE_SOCKET,
            extensions: [],
          }
        : {
            ...common,
            version: HANDSHAKE_VERSION,
            type: HANDSHAKE_TYPE.conclusion,
            cookie: this.#cookie,
            ...requestFields(offer(terms), streamId, keyRequest),
          }
    this.#init.send(
      serializeControlPacket({ kind: 'handshake', timestamp: nowUs - this.#startUs, destination: 0, handshake }),
    )
  }
}
