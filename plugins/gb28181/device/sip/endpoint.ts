import { randomBytes } from 'node:crypto'
import type { Timers } from '../timers.ts'
import { branchOf, sequenceOf } from './address.ts'
import type { HostPort, SipLink } from './link.ts'
import {
  headerOf,
  serializeSipMessage,
  type SipHeaders,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from './message.ts'
import { respondTo, type ResponseInit } from './response.ts'

/** The estimate of a round trip, and the longest pause between two sendings, in milliseconds (RFC 3261 17.1.1.1). */
const T1_MS = 500
const T2_MS = 4000
/** The time after which a transaction has failed (timers B and F), and that answers are kept for (timer J). */
const TRANSACTION_MS = 64 * T1_MS

/** No final response has come in time, or the connection has ended before. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
}

/** A request that has come in. */
export type IncomingRequest = {
  readonly message: SipRequest
  /** Sends a response, and sends it again when the request comes once more. */
  readonly respond: (status: number, init?: ResponseInit) => void
}

export type SipEndpointInit = {
  readonly timers: Timers
  /** Takes each new request, and every `ACK`. */
  readonly onRequest: (request: IncomingRequest) => void
  /** No `ACK` came for the final response to an `INVITE`. */
  readonly onAckMissing: (request: SipRequest) => void
}

/** The headers and body of a request, without `Via`, `Max-Forwards` and `Content-Length`. */
export type RequestInit = {
  readonly method: string
  readonly uri: string
  readonly headers: SipHeaders
  readonly body?: Buffer
}

type ClientTransaction = {
  readonly method: string
  readonly resolve: (response: SipResponse) => void
  readonly reject: (error: Error) => void
  stop: () => void
}

type ServerTransaction = { response: Buffer | undefined; readonly endMs: number }

/**
 * The transactions of a device over one link (RFC 3261 17), which can be another one later: requests are sent again until there is
 * a response, responses when a request is repeated, and the final response to an `INVITE` until its `ACK`.
 */
export class SipEndpoint {
  readonly #init: SipEndpointInit
  #link: SipLink
  /** By branch. */
  readonly #clients = new Map<string, ClientTransaction>()
  /** By branch and method, oldest first. */
  readonly #servers = new Map<string, ServerTransaction>()
  /** Functions that stop sending the final response to an `INVITE`, by Call-ID and number. */
  readonly #unconfirmed = new Map<string, () => void>()

  constructor(link: SipLink, init: SipEndpointInit) {
    this.#link = link
    this.#init = init
  }

  /** The link that requests go by. */
  get link(): SipLink {
    return this.#link
  }

  /** Goes on over another link. */
  useLink(link: SipLink): void {
    this.#link = link
  }

  /**
   * Sends a request and returns its final response.
   * @throws {NoResponse} when none comes in time, or the connection ends before
   */
  request({ method, uri, headers, body = Buffer.alloc(0) }: RequestInit): Promise<SipResponse> {
    const branch = `z9hG4bK${randomBytes(8).toString('hex')}`
    const { host, port } = this.#link.local
    const via = `SIP/2.0/${this.#link.transport} ${host}:${port};rport;branch=${branch}`
    const all: SipHeaders = [['Via', via], ['Max-Forwards', '70'], ...headers]
    const bytes = serializeSipMessage({ kind: 'request', method, uri, headers: all, body })
    const { promise, resolve, reject } = Promise.withResolvers<SipResponse>()
    const stopSending = this.#repeat(() => this.#link.send(bytes))
    const stopWaiting = this.#init.timers.after(TRANSACTION_MS, () => this.#fail(branch, `no response to ${method}`))
    const stop = () => {
      stopSending()
      stopWaiting()
    }
    this.#clients.set(branch, { method, resolve, reject, stop })
    this.#link.send(bytes)
    return promise
  }

  /** Takes a message of the link. */
  take(message: SipMessage, source: HostPort, answer: (bytes: Buffer) => void): void {
    if (message.kind === 'response') this.#response(message)
    else if (message.method === 'ACK') this.#ack(message)
    else this.#request(message, source, answer)
  }

  /** Ends all transactions; requests that have no response fail. */
  close(): void {
    for (const branch of this.#clients.keys()) this.#fail(branch, 'the link was closed')
    for (const stop of this.#unconfirmed.values()) stop()
    this.#unconfirmed.clear()
  }

  #response(message: SipResponse): void {
    const branch = branchOf(message)
    const transaction = this.#clients.get(branch)
    if (message.status < 200 || transaction?.method !== sequenceOf(message).method) return
    this.#clients.delete(branch)
    transaction.stop()
    transaction.resolve(message)
  }

  #fail(branch: string, reason: string): void {
    const transaction = this.#clients.get(branch)
    this.#clients.delete(branch)
    transaction?.stop()
    transaction?.reject(new NoResponse(reason))
  }

  #ack(message: SipRequest): void {
    const key = dialogKey(message)
    this.#unconfirmed.get(key)?.()
    this.#unconfirmed.delete(key)
    this.#init.onRequest({ message, respond() {} })
  }

  #request(message: SipRequest, source: HostPort, answer: (bytes: Buffer) => void): void {
    this.#forgetOld()
    const key = `${branchOf(message)} ${headerOf(message, 'Via')?.split(';')[0]} ${message.method}`
    const known = this.#servers.get(key)
    if (known !== undefined) {
      if (known.response !== undefined) answer(known.response)
      return
    }
    const transaction: ServerTransaction = { response: undefined, endMs: this.#init.timers.now() + TRANSACTION_MS }
    this.#servers.set(key, transaction)
    const respond = (status: number, init: ResponseInit = {}) => {
      const bytes = serializeSipMessage(respondTo(message, source, status, init))
      transaction.response = bytes
      answer(bytes)
      if (message.method === 'INVITE' && status >= 200) this.#untilConfirmed(message, () => answer(bytes))
    }
    this.#init.onRequest({ message, respond })
  }

  /** Sends the final response again until the `ACK` comes (RFC 3261 13.3.1.4 and 17.2.1). */
  #untilConfirmed(message: SipRequest, send: () => void): void {
    const key = dialogKey(message)
    const stopSending = this.#repeat(send)
    const stopWaiting = this.#init.timers.after(TRANSACTION_MS, () => {
      this.#unconfirmed.delete(key)
      stopSending()
      this.#init.onAckMissing(message)
    })
    this.#unconfirmed.set(key, () => {
      stopSending()
      stopWaiting()
    })
  }

  /** Sends again with growing pauses, over UDP; returns how to stop. */
  #repeat(send: () => void): () => void {
    if (this.#link.transport !== 'UDP') return () => {}
    let cancel = () => {}
    const wait = (delayMs: number) => {
      cancel = this.#init.timers.after(delayMs, () => {
        send()
        wait(Math.min(2 * delayMs, T2_MS))
      })
    }
    wait(T1_MS)
    return () => cancel()
  }

  #forgetOld(): void {
    const nowMs = this.#init.timers.now()
    for (const [key, { endMs }] of this.#servers) {
      if (endMs > nowMs) return
      this.#servers.delete(key)
    }
  }
}

function dialogKey(message: SipRequest): string {
  return `${headerOf(message, 'Call-ID')} ${sequenceOf(message).number}`
}
