import { serializeControlPacket } from '../packet/control-packet.ts'
import { HANDSHAKE_TYPE, HANDSHAKE_VERSION, type HandshakePacket } from '../packet/handshake-packet.ts'
import { ConnectionRequest, refuse } from './connection-request.ts'
import { createCookie, isFreshCookie, type PeerAddress } from './cookie.ts'
import type { LocalTerms } from './negotiation.ts'
import { readHandshake, type ReceivedHandshake, refusalOf } from './read-handshake.ts'
import { REJECT_REASON } from './reject-reason.ts'

/** The extension field in the answer to an induction, by which a caller recognises an SRT listener of version 5. */
export const INDUCTION_MAGIC = 0x4a17

/** The result of a datagram: the answer to send, or a request to decide on. */
export type HandshakeOutcome =
  | { readonly kind: 'answer'; readonly datagram: Buffer }
  | { readonly kind: 'refusal'; readonly datagram: Buffer; readonly reason: number }
  | { readonly kind: 'request'; readonly request: ConnectionRequest }

/**
 * The listener's side of the handshake (draft-sharabayko-srt-01 section 4.3.1). It keeps no state: a cookie proves the induction, and each
 * repeat of a conclusion results in its request again. No answer is larger than the datagram it answers.
 */
export class ListenerHandshake {
  readonly #secret: Buffer
  readonly #nowUs: () => number
  readonly #terms: () => LocalTerms

  constructor(init: { secret: Buffer; nowUs: () => number; terms: () => LocalTerms }) {
    this.#secret = init.secret
    this.#nowUs = init.nowUs
    this.#terms = init.terms
  }

  /**
   * Takes a datagram for socket id 0, which is borrowed until this returns. `answer` is to be sent to the peer, and so is `refusal`, which
   * contains one of REJECT_REASON; `request` waits for a decision. `undefined`: nothing is to be sent, as for malformed datagrams and those
   * without a cookie of this listener.
   */
  receive(datagram: Buffer, peer: PeerAddress): HandshakeOutcome | undefined {
    const received = readHandshake(datagram)
    if (!received || received.handshake.socketId === 0) return undefined
    const { handshake } = received
    if (handshake.type === HANDSHAKE_TYPE.induction) return { kind: 'answer', datagram: this.#invite(handshake, peer) }
    if (handshake.type !== HANDSHAKE_TYPE.conclusion) return undefined
    if (!isFreshCookie(handshake.cookie, this.#secret, peer, this.#nowUs())) return undefined
    return this.#decide(received)
  }

  #invite(handshake: HandshakePacket, peer: PeerAddress): Buffer {
    return serializeControlPacket({
      kind: 'handshake',
      timestamp: 0,
      destination: handshake.socketId,
      handshake: {
        ...handshake,
        version: HANDSHAKE_VERSION,
        encryptionField: 0,
        extensionField: INDUCTION_MAGIC,
        cookie: createCookie(this.#secret, peer, this.#nowUs()),
      },
    })
  }

  #decide(received: ReceivedHandshake): HandshakeOutcome {
    const { handshake, conclusion, timestamp } = received
    const { request } = conclusion
    const refusal = refusalOf(received)
    if (refusal !== undefined || !request) {
      const reason = refusal ?? REJECT_REASON.rogue
      return { kind: 'refusal', datagram: refuse(handshake, reason), reason }
    }
    return {
      kind: 'request',
      request: new ConnectionRequest({
        handshake,
        conclusion: { ...conclusion, request },
        peerStartUs: this.#nowUs() - timestamp,
        nowUs: this.#nowUs,
        terms: this.#terms,
      }),
    }
  }
}
