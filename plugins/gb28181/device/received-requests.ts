import type { ReceivedRequest } from './device-event.ts'
import type { ReceivedBody } from './manscdp/body.ts'
import { userOf } from './sip/address.ts'
import type { SipRequest } from './sip/message.ts'

const MAX_KEPT = 1000

type Waiter = {
  readonly predicate: (request: ReceivedRequest) => boolean
  readonly resolve: (request: ReceivedRequest) => void
}

/** The requests that a device has received, and who waits for one. */
export class ReceivedRequests {
  readonly #kept: ReceivedRequest[] = []
  #forgotten = 0
  readonly #waiters = new Set<Waiter>()

  /** Oldest first. */
  get all(): readonly ReceivedRequest[] {
    return this.#kept
  }

  /** The number of all, those included that are not kept any more. */
  get count(): number {
    return this.#forgotten + this.#kept.length
  }

  add(message: SipRequest, body: ReceivedBody | undefined): void {
    const { kind = '', cmdType = '', sn = '', deviceId = '' } = body ?? {}
    const request = { method: message.method, user: userOf(message.uri), kind, cmdType, sn, deviceId, message }
    this.#kept.push(request)
    if (this.#kept.length > MAX_KEPT) {
      this.#kept.shift()
      this.#forgotten += 1
    }
    for (const waiter of this.#waiters) {
      if (!waiter.predicate(request)) continue
      this.#waiters.delete(waiter)
      waiter.resolve(request)
    }
  }

  /**
   * Waits for a request, which may be among those that came after the first `since`.
   * @throws {Error} when it has not come in time
   */
  async waitFor(
    predicate: (request: ReceivedRequest) => boolean,
    since: number,
    timeoutMs: number,
  ): Promise<ReceivedRequest> {
    const found = this.#kept.slice(Math.max(0, since - this.#forgotten)).find(predicate)
    if (found !== undefined) return found
    const { promise, resolve, reject } = Promise.withResolvers<ReceivedRequest>()
    const waiter = { predicate, resolve }
    const timer = setTimeout(() => reject(new Error(`no such request within ${timeoutMs} ms`)), timeoutMs)
    this.#waiters.add(waiter)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiters.delete(waiter)
    }
  }
}
