import { T1_MS, T2_MS, T4_MS, TRANSACTION_MS, type SipFlow, type SipTimers } from './flow.ts'
import type { SipRequest, SipResponse } from './message.ts'
import { randomName, responseTo, type ResponseInit } from './requests.ts'

/** An INVITE is told that it has come when nothing else is said within this time (RFC 3261 17.2.1). */
const TRYING_MS = 200
/** The longest that an INVITE may go without a final answer: it is answered then. */
const INVITE_MS = 180_000

type ServerTransactionInit = {
  readonly request: SipRequest
  readonly flow: SipFlow
  readonly timers: SipTimers
  /** The transaction is over: the request is not expected to come again. */
  readonly onEnd: () => void
}

/**
 * A request of a peer and the answers to it (RFC 3261 17.2, with the state `accepted` of RFC 6026): the last one is sent again
 * whenever the request comes again, and for an INVITE until it is acknowledged.
 */
export class ServerTransaction {
  readonly request: SipRequest
  readonly flow: SipFlow
  /** The tag of this end, in all its answers but 100. */
  readonly toTag = randomName()
  /** Called when the peer no longer wants an INVITE that has no final answer; it is answered with 487. */
  onCancel: () => void = () => {}
  /** Called when an INVITE was answered with 2xx and no ACK came in time. */
  onUnacknowledged: () => void = () => {}
  readonly #init: ServerTransactionInit
  readonly #isInvite: boolean
  #state: 'proceeding' | 'completed' | 'accepted' | 'confirmed' | 'over' = 'proceeding'
  #last: SipResponse | undefined
  #cancelTrying = () => {}
  #cancelResend = () => {}
  #cancelEnd = () => {}

  constructor(init: ServerTransactionInit) {
    this.#init = init
    this.request = init.request
    this.flow = init.flow
    this.#isInvite = init.request.method === 'INVITE'
    if (this.#isInvite) {
      this.#cancelTrying = init.timers.after(TRYING_MS, () => this.respond({ status: 100 }))
      this.#cancelEnd = init.timers.after(INVITE_MS, () => this.respond({ status: 408 }))
      // Its client waits no longer.
    } else this.#cancelEnd = init.timers.after(TRANSACTION_MS, () => this.end())
  }

  /** True once a final answer was given. */
  get isAnswered(): boolean {
    return this.#state !== 'proceeding'
  }

  /** Answers; nothing happens after a final answer. */
  respond(init: ResponseInit): void {
    if (this.#state !== 'proceeding') return
    const tagged = init.status === 100 ? init : { toTag: this.toTag, ...init }
    const response = responseTo(this.request, tagged)
    this.#cancelTrying()
    this.#last = response
    this.flow.send(response)
    if (response.status < 200) return
    if (!this.#isInvite) return this.#complete('completed', this.flow.isReliable ? 0 : TRANSACTION_MS)
    const isAccepted = response.status < 300
    this.#complete(isAccepted ? 'accepted' : 'completed', TRANSACTION_MS)
    // An answer of 2xx is sent again by connections, too (13.3.1.4).
    if (isAccepted || !this.flow.isReliable) this.#resendIn(T1_MS)
  }

  /** The request has come again. */
  repeated(): void {
    if (this.#last !== undefined && this.#state !== 'confirmed') this.flow.send(this.#last)
  }

  /** The ACK of the final answer of an INVITE has come. */
  acknowledged(): void {
    if (this.#state !== 'completed' && this.#state !== 'accepted') return
    this.#cancelResend()
    this.#complete('confirmed', this.flow.isReliable ? 0 : T4_MS)
  }

  /** The peer has sent a CANCEL of it. */
  cancelled(): void {
    if (this.#state !== 'proceeding') return
    this.onCancel()
    this.respond({ status: 487 })
  }

  end(): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#cancelTrying()
    this.#cancelResend()
    this.#cancelEnd()
    this.#init.onEnd()
  }

  #complete(state: 'completed' | 'accepted' | 'confirmed', endMs: number): void {
    this.#state = state
    this.#cancelEnd()
    this.#cancelEnd = this.#init.timers.after(endMs, () => {
      const isForgotten = this.#state === 'accepted'
      this.end()
      if (isForgotten) this.onUnacknowledged()
    })
  }

  #resendIn(delayMs: number): void {
    this.#cancelResend = this.#init.timers.after(delayMs, () => {
      this.repeated()
      this.#resendIn(Math.min(2 * delayMs, T2_MS))
    })
  }
}
