import type { SipEndpoint, SipFlow } from '../sip/flow.ts'
import { serializeSipMessage, type SipMessage } from '../sip/message.ts'
import type { FlowEnds, Switchboard } from './switchboard.ts'

/** The way to a peer by the sockets of the generation that has them. */
export class BoardFlow implements SipFlow {
  readonly #ends: FlowEnds
  readonly #board: Switchboard

  constructor(ends: FlowEnds, board: Switchboard) {
    this.#ends = ends
    this.#board = board
  }

  get transport(): SipFlow['transport'] {
    return this.#ends.transport
  }

  get isReliable(): boolean {
    return this.#ends.transport !== 'UDP'
  }

  get local(): SipEndpoint {
    return this.#ends.local
  }

  get remote(): SipEndpoint {
    return this.#ends.remote
  }

  send(message: SipMessage): void {
    const bytes = serializeSipMessage(message)
    this.#board.senders.some((send) => send(this.#ends, bytes))
  }
}
