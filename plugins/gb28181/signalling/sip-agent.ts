import { tryParse } from 'sluice/sdk/media'
import type { ClientTransaction, ClientHandlers } from '../sip/client-transaction.ts'
import type { SipFlow } from '../sip/flow.ts'
import {
  parseSipDatagram,
  serializeSipMessage,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from '../sip/message.ts'
import type { ResponseInit } from '../sip/requests.ts'
import type { ServerTransaction } from '../sip/server-transaction.ts'
import { SipTransactions } from '../sip/transactions.ts'
import { BoardFlow } from '../transport/board-flow.ts'
import { endsOf, type FlowEnds, type Switchboard } from '../transport/switchboard.ts'
import type { GbContext } from '../plugin-context.ts'

/** Takes the requests of a peer. */
export type RequestHandlers = {
  /** See `SipTransactionsInit.screen`. */
  readonly screen: (request: SipRequest, flow: SipFlow) => ResponseInit | undefined
  /** Answers a request that belongs to no call. */
  readonly request: (transaction: ServerTransaction) => void
}

/** Takes what a peer sends within a call. */
export type CallHandlers = {
  readonly request: (transaction: ServerTransaction) => void
}

/**
 * The requests and answers of one generation of the plugin. What comes for a call is led to the generation whose it is, by the
 * switchboard.
 */
export class SipAgent {
  readonly #board: Switchboard
  readonly #transactions: SipTransactions
  /** The calls of this generation, by Call-ID. */
  readonly #calls = new Map<string, CallHandlers | undefined>()
  #handlers: RequestHandlers | undefined

  constructor(ctx: Pick<GbContext, 'setTimeout'>, board: Switchboard) {
    this.#board = board
    this.#transactions = new SipTransactions({
      timers: { after: (delayMs, callback) => ctx.setTimeout(callback, delayMs) },
      screen: (request, flow) => this.#screen(request, flow),
      onRequest: (transaction) => this.#request(transaction),
    })
  }

  /** The number of transactions that have not ended. */
  get transactions(): number {
    return this.#transactions.size
  }

  /** The number of calls of this generation. */
  get calls(): number {
    return this.#calls.size
  }

  /** Has requests outside calls answered; called once. */
  serve(handlers: RequestHandlers): void {
    this.#handlers = handlers
  }

  /** Returns the way to a peer. */
  flow(ends: FlowEnds): BoardFlow {
    return new BoardFlow(ends, this.#board)
  }

  /** Takes a message that came over the sockets of this generation. @throws {MalformedError} when it lacks what all have */
  receive(message: SipMessage, flow: SipFlow): void {
    const callId = message.headers.get('Call-ID') ?? ''
    const elsewhere = this.#calls.has(callId) ? undefined : this.#board.calls.get(callId)
    if (elsewhere === undefined) this.#transactions.receive(message, flow)
    else elsewhere(serializeSipMessage(message), endsOf(flow))
  }

  /**
   * Takes what comes with a Call-ID, from now on.
   * @param handlers takes requests of the peer; without it, only answers are expected
   * @returns a function that ends the call
   */
  open(callId: string, handlers?: CallHandlers): () => void {
    const take = (bytes: Buffer, ends: FlowEnds) => {
      const message = tryParse(parseSipDatagram, bytes)
      if (message !== undefined) this.#transactions.receive(message, this.flow(ends))
    }
    this.#calls.set(callId, handlers)
    this.#board.calls.set(callId, take)
    return () => {
      this.#calls.delete(callId)
      if (this.#board.calls.get(callId) === take) this.#board.calls.delete(callId)
    }
  }

  /** Sends a request of a call that is open. */
  send(request: SipRequest, flow: SipFlow, handlers: ClientHandlers): ClientTransaction {
    return this.#transactions.send(request, flow, handlers)
  }

  /** Gives up a request of which no final answer has come. */
  cancel(transaction: ClientTransaction): void {
    this.#transactions.cancel(transaction)
  }

  /** Sends a request of a call that is open, and returns its final answer; undefined when none came. */
  ask(request: SipRequest, flow: SipFlow): Promise<SipResponse | undefined> {
    return new Promise((resolve) => {
      this.send(request, flow, { onFinal: resolve, onTimeout: () => resolve(undefined) })
    })
  }

  close(): void {
    this.#transactions.close()
    for (const callId of this.#calls.keys()) this.#board.calls.delete(callId)
    this.#calls.clear()
  }

  #screen(request: SipRequest, flow: SipFlow): ResponseInit | undefined {
    if (this.#calls.get(callIdOf(request)) !== undefined) return undefined
    return this.#handlers?.screen(request, flow)
  }

  #request(transaction: ServerTransaction): void {
    const call = this.#calls.get(callIdOf(transaction.request))
    if (call !== undefined) call.request(transaction)
    else if (this.#handlers === undefined) transaction.respond({ status: 481 })
    else this.#handlers.request(transaction)
  }
}

function callIdOf({ headers }: SipRequest): string {
  return headers.get('Call-ID') ?? ''
}
