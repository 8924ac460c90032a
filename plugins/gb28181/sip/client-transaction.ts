import { ACKNOWLEDGED_MS, T1_MS, T2_MS, T4_MS, TRANSACTION_MS, type SipFlow, type SipTimers } from './flow.ts'
import type { SipRequest, SipResponse } from './message.ts'
import { acknowledgementOf } from './requests.ts'

/** Takes the answers to a request. */
export type ClientHandlers = {
  /** An answer of 100–199. */
  readonly onProvisional?: (response: SipResponse) => void
  /** An answer of 200 or above; those of 2xx to an INVITE come as often as the peer sends them. */
  readonly onFinal: (response: SipResponse) => void
  /** No answer came in time. */
  readonly onTimeout: () => void
}

type ClientTransactionInit = ClientHandlers & {
  readonly request: SipRequest
  readonly flow: SipFlow
  readonly timers: SipTimers
  /** The transaction is over: nothing of it is expected any more. */
  readonly onEnd: () => void
}

/**
 * A request of this server and its answers (RFC 3261 17.1, with the state `accepted` of RFC 6026): sent again by UDP until an answer
 * comes. It acknowledges an answer of 300 or above to an INVITE; that of 2xx is acknowledged by the dialog.
 */
export class ClientTransaction {
  readonly request: SipRequest
  readonly flow: SipFlow
  readonly #init: ClientTransactionInit
  readonly #isInvite: boolean
  #state: 'calling' | 'proceeding' | 'completed' | 'accepted' | 'over' = 'calling'
  #cancelResend = () => {}
  #cancelEnd = () => {}
  #onHeard = () => {}

  constructor(init: ClientTransactionInit) {
    this.#init = init
    this.request = init.request
    this.flow = init.flow
    this.#isInvite = init.request.method === 'INVITE'
  }

  /** Sends the request. Called once. */
  start(): void {
    const { flow, timers } = this.#init
    flow.send(this.request)
    if (!flow.isReliable) this.#resendIn(T1_MS)
    this.#cancelEnd = timers.after(TRANSACTION_MS, () => this.#timeOut())
  }

  /**
   * Gives up an INVITE: `tell` is called when the peer is known to have it, unless a final answer comes before (RFC 3261 9.1).
   * Without a final answer it is over soon after that.
   */
  giveUp(tell: () => void): void {
    this.#onHeard = () => {
      this.#cancelEnd()
      this.#cancelEnd = this.#init.timers.after(TRANSACTION_MS, () => this.#timeOut())
      tell()
    }
    if (this.#state === 'proceeding') this.#onHeard()
  }

  receive(response: SipResponse): void {
    if (response.status < 200) this.#provisional(response)
    else if (this.#isInvite) this.#inviteAnswered(response)
    else this.#answered(response)
  }

  /** Forgets it: no answer is told any more. */
  end(): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#cancelResend()
    this.#cancelEnd()
    this.#init.onEnd()
  }

  #provisional(response: SipResponse): void {
    if (this.#state !== 'calling' && this.#state !== 'proceeding') return
    const isFirst = this.#state === 'calling'
    this.#state = 'proceeding'
    if (isFirst && this.#isInvite) {
      // The peer rings: how long it may, the caller decides, by CANCEL.
      this.#cancelResend()
      this.#cancelEnd()
      this.#onHeard()
    }
    this.#init.onProvisional?.(response)
  }

  #answered(response: SipResponse): void {
    if (this.#state !== 'calling' && this.#state !== 'proceeding') return
    this.#complete('completed', this.flow.isReliable ? 0 : T4_MS)
    this.#init.onFinal(response)
  }

  #inviteAnswered(response: SipResponse): void {
    if (this.#state === 'over') return
    const isFirst = this.#state === 'calling' || this.#state === 'proceeding'
    if (response.status < 300) {
      if (this.#state === 'completed') return
      if (isFirst) this.#complete('accepted', TRANSACTION_MS)
      return this.#init.onFinal(response)
    }
    if (this.#state === 'accepted') return
    this.flow.send(acknowledgementOf(this.request, response))
    if (!isFirst) return
    this.#complete('completed', this.flow.isReliable ? 0 : ACKNOWLEDGED_MS)
    this.#init.onFinal(response)
  }

  #complete(state: 'completed' | 'accepted', endMs: number): void {
    this.#state = state
    this.#cancelResend()
    this.#cancelEnd()
    this.#cancelEnd = this.#init.timers.after(endMs, () => this.end())
  }

  #resendIn(delayMs: number): void {
    this.#cancelResend = this.#init.timers.after(delayMs, () => {
      this.flow.send(this.request)
      const nextMs = this.#isInvite ? 2 * delayMs : Math.min(2 * delayMs, T2_MS)
      this.#resendIn(this.#state === 'proceeding' ? T2_MS : nextMs)
    })
  }

  #timeOut(): void {
    this.end()
    this.#init.onTimeout()
  }
}
