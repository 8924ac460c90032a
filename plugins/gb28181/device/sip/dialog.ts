import { randomBytes } from 'node:crypto'
import { parameterOf, uriOf } from './address.ts'
import type { RequestInit } from './endpoint.ts'
import { headerOf, headersOf, type SipHeaders, type SipRequest } from './message.ts'

/** A dialog that the server has begun (RFC 3261 12.1.1), for requests of the device within it. */
export class Dialog {
  readonly callId: string
  /** The tag that the device gives itself. */
  readonly localTag: string
  readonly #request: SipRequest
  #number = 0

  /** @param request the one that begins it */
  constructor(request: SipRequest) {
    this.#request = request
    this.callId = headerOf(request, 'Call-ID') ?? ''
    // A request that comes after the dialog was forgotten brings its tag along.
    this.localTag = parameterOf(headerOf(request, 'To') ?? '', 'tag') ?? randomBytes(5).toString('hex')
  }

  /** A request in the dialog, to the contact that the server has named. */
  request(method: string, headers: SipHeaders = [], body?: Buffer): RequestInit {
    this.#number += 1
    const to = headerOf(this.#request, 'From') ?? ''
    const from = headerOf(this.#request, 'To') ?? ''
    const local = parameterOf(from, 'tag') === undefined ? `${from};tag=${this.localTag}` : from
    const target = uriOf(headerOf(this.#request, 'Contact') ?? to)
    const routes = headersOf(this.#request, 'Record-Route').map((route): [string, string] => ['Route', route])
    const all: SipHeaders = [
      ...routes,
      ['From', local],
      ['To', to],
      ['Call-ID', this.callId],
      ['CSeq', `${this.#number} ${method}`],
      ...headers,
    ]
    return { method, uri: target, headers: all, ...(body !== undefined && { body }) }
  }
}
