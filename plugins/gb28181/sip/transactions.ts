import { MalformedError } from 'sluice/sdk/media'
import { parseSipVia } from './address.ts'
import { ClientTransaction, type ClientHandlers } from './client-transaction.ts'
import type { SipFlow, SipTimers } from './flow.ts'
import type { SipMessage, SipRequest, SipResponse } from './message.ts'
import { BRANCH_COOKIE, cancelOf, cseqOf, randomName, responseTo, type ResponseInit } from './requests.ts'
import { ServerTransaction } from './server-transaction.ts'

/** The most transactions of each side that are kept at a time; requests beyond are answered with 503. */
export const MAX_TRANSACTIONS = 20_000
/** The seconds after which a peer may ask again that was answered with 503. */
const RETRY_SECONDS = 10

export type SipTransactionsInit = {
  readonly timers: SipTimers
  /**
   * Returns the answer to a request that is refused or challenged without keeping anything of it (RFC 3261 8.2.7), so that
   * strangers can't fill the memory; undefined for all others. It is asked again when the request comes again.
   */
  readonly screen?: (request: SipRequest, flow: SipFlow) => ResponseInit | undefined
  /** A request has come for the first time; it is to be answered. */
  readonly onRequest: (transaction: ServerTransaction) => void
  /** The ACK of an answer of 2xx has come; it is part of the dialog. */
  readonly onAcknowledged?: (request: SipRequest) => void
}

/** All transactions of SIP of this server, by branch and method (RFC 3261 17): what comes is led to the one that it belongs to. */
export class SipTransactions {
  readonly #init: SipTransactionsInit
  readonly #clients = new Map<string, ClientTransaction>()
  readonly #servers = new Map<string, ServerTransaction>()

  constructor(init: SipTransactionsInit) {
    this.#init = init
  }

  /** The number of transactions of both sides. */
  get size(): number {
    return this.#clients.size + this.#servers.size
  }

  /**
   * Sends a request, whose topmost Via has a branch of its own. An ACK has no answer.
   * @throws {MalformedError} when it has no Via or CSeq
   */
  send(request: SipRequest, flow: SipFlow, handlers: ClientHandlers): ClientTransaction {
    const key = clientKey(request)
    const { timers } = this.#init
    const onEnd = () => void this.#clients.delete(key)
    const transaction = new ClientTransaction({ ...handlers, request, flow, timers, onEnd })
    this.#clients.set(key, transaction)
    transaction.start()
    return transaction
  }

  /** Asks the peer to give up an INVITE, once it is known to have it; its final answer comes to the handlers of that. */
  cancel(transaction: ClientTransaction): void {
    const { request, flow } = transaction
    transaction.giveUp(() => this.send(cancelOf(request), flow, { onFinal: () => {}, onTimeout: () => {} }))
  }

  /** @throws {MalformedError} when the message has no Via or CSeq, or they are none, or of another method */
  receive(message: SipMessage, flow: SipFlow): void {
    if (message.kind === 'response') this.#response(message)
    else this.#request(message, flow)
  }

  /** Forgets all transactions. */
  close(): void {
    for (const transaction of [...this.#clients.values(), ...this.#servers.values()]) transaction.end()
  }

  #response(response: SipResponse): void {
    this.#clients.get(clientKey(response))?.receive(response)
  }

  #request(request: SipRequest, flow: SipFlow): void {
    const { method } = request
    // Without one, no answer would find its request.
    if (cseqOf(request.headers)?.method !== method) throw new MalformedError('SIP request without a CSeq of its method')
    const known = this.#servers.get(serverKey(request, method === 'ACK' ? 'INVITE' : method))
    if (method === 'ACK') {
      known?.acknowledged()
      return this.#init.onAcknowledged?.(request)
    }
    if (known !== undefined) return known.repeated()
    const refusal = this.#init.screen?.(request, flow)
    if (refusal !== undefined) return flow.send(responseTo(request, { toTag: randomName(), ...refusal }))
    if (this.#servers.size >= MAX_TRANSACTIONS) return refuse(request, flow)
    const transaction = this.#open(request, flow)
    if (method === 'CANCEL') this.#cancel(transaction)
    else this.#init.onRequest(transaction)
  }

  #open(request: SipRequest, flow: SipFlow): ServerTransaction {
    const key = serverKey(request, request.method)
    const onEnd = () => void this.#servers.delete(key)
    const transaction = new ServerTransaction({ request, flow, timers: this.#init.timers, onEnd })
    this.#servers.set(key, transaction)
    return transaction
  }

  #cancel(transaction: ServerTransaction): void {
    const invited = this.#servers.get(serverKey(transaction.request, 'INVITE'))
    transaction.respond({ status: invited === undefined ? 481 : 200 })
    invited?.cancelled()
  }
}

function refuse(request: SipRequest, flow: SipFlow): void {
  flow.send(responseTo(request, { status: 503, headers: [['Retry-After', String(RETRY_SECONDS)]] }))
}

/** The name of a client's transaction: the branch of its Via, and the method (17.1.3). */
function clientKey({ headers }: SipMessage): string {
  return `${branchOf(headers.get('Via'))} ${methodOf(headers)}`
}

/** The name of a server's transaction (17.2.3); clients of RFC 2543 have branches that others have, too. */
function serverKey({ uri, headers }: SipRequest, method: string): string {
  const via = headers.get('Via')
  const { host, port } = parseSipVia(via ?? '')
  const branch = branchOf(via)
  if (branch.startsWith(BRANCH_COOKIE)) return `${branch} ${host}:${port ?? ''} ${method}`
  const number = cseqOf(headers)?.number ?? ''
  return [uri, headers.get('Call-ID'), headers.get('From'), number, branch, `${host}:${port ?? ''}`, method].join(' ')
}

function branchOf(via: string | undefined): string {
  return parseSipVia(via ?? '').parameters.get('branch') ?? ''
}

function methodOf(headers: SipMessage['headers']): string {
  const method = cseqOf(headers)?.method
  if (method === undefined) throw new MalformedError('SIP message without a CSeq')
  return method
}
