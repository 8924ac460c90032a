import { serializeControlPacket } from '../packet/control-packet.ts'
import type { ExtensionMessage } from '../packet/extension-message.ts'
import { HANDSHAKE_VERSION, type HandshakePacket } from '../packet/handshake-packet.ts'
import { type Conclusion, responseFields } from './conclusion.ts'
import { answer, conclude, type LocalTerms, type Negotiated, ownLimits } from './negotiation.ts'
import { REFUSAL_TYPE_BASE } from './reject-reason.ts'

/** A caller that has proved its address and waits for a decision. The listener keeps no state for it. */
export class ConnectionRequest {
  readonly peerSocketId: number
  readonly streamId: string
  /** The content of KMREQ, a copy; `undefined` when the caller does not encrypt. */
  readonly keyMaterial: Buffer | undefined
  readonly #handshake: HandshakePacket
  readonly #message: ExtensionMessage
  readonly #peerStartUs: number
  readonly #nowUs: () => number
  readonly #terms: () => LocalTerms

  constructor(init: {
    handshake: HandshakePacket
    conclusion: Conclusion & { request: ExtensionMessage }
    peerStartUs: number
    nowUs: () => number
    terms: () => LocalTerms
  }) {
    this.peerSocketId = init.handshake.socketId
    this.streamId = init.conclusion.streamId
    this.keyMaterial = init.conclusion.keyRequest && Buffer.from(init.conclusion.keyRequest)
    this.#handshake = { ...init.handshake, address: Buffer.from(init.handshake.address) }
    this.#message = init.conclusion.request
    this.#peerStartUs = init.peerStartUs
    this.#nowUs = init.nowUs
    this.#terms = init.terms
  }

  /**
   * Makes the answer that establishes the connection. The caller takes its time stamp for this end's clock, so every repeat must be stamped
   * with the time of its sending by `stampAgain`.
   * @param init.keyResponse content of KMRSP
   */
  accept(init: { socketId: number; keyResponse?: Buffer }): { datagram: Buffer; negotiated: Negotiated } {
    const terms = this.#terms()
    const message = answer(this.#message, terms)
    const negotiated = conclude({
      socketId: init.socketId,
      sequence: this.#handshake.sequence,
      startUs: this.#nowUs(),
      terms,
      latencies: message,
      peer: this.#handshake,
      peerMessage: this.#message,
      peerStartUs: this.#peerStartUs,
    })
    const limits = ownLimits(terms)
    const datagram = serializeControlPacket({
      kind: 'handshake',
      timestamp: 0,
      destination: this.peerSocketId,
      handshake: {
        ...this.#handshake,
        ...limits,
        mtuBytes: Math.min(limits.mtuBytes, this.#handshake.mtuBytes),
        version: HANDSHAKE_VERSION,
        socketId: init.socketId,
        ...responseFields(message, init.keyResponse),
      },
    })
    return { datagram, negotiated }
  }

  /** @param reason one of REJECT_REASON */
  reject(reason: number): Buffer {
    return refuse(this.#handshake, reason)
  }
}

/** The handshake that refuses another one; it is never larger than the other. */
export function refuse(handshake: HandshakePacket, reason: number): Buffer {
  return serializeControlPacket({
    kind: 'handshake',
    timestamp: 0,
    destination: handshake.socketId,
    handshake: {
      ...handshake,
      encryptionField: 0,
      extensionField: 0,
      type: REFUSAL_TYPE_BASE + reason,
      extensions: [],
    },
  })
}
