import { LogLimit, type DatagramHandler, type UdpPeer } from 'sluice/sdk'
import { isPromiseLike } from '../../base/deadline.ts'
import type { GenerationOwner } from './generation-parts.ts'

/** The time between two log lines about a handler's errors, as peers can send thousands of datagrams that raise one. */
const FAILURE_LOG_INTERVAL_MS = 10_000

/** Calls the datagram handlers of one generation. Errors and rejections are logged, and end nothing. */
export class DatagramCalls {
  readonly #owner: GenerationOwner
  readonly #failures = new LogLimit(FAILURE_LOG_INTERVAL_MS)

  constructor(owner: GenerationOwner) {
    this.#owner = owner
  }

  /** Returns true when the datagram was for this handler, also when the handler throws. */
  call(handler: DatagramHandler, datagram: Buffer, peer: UdpPeer): boolean {
    try {
      const result: unknown = handler(datagram, peer)
      if (isPromiseLike(result)) result.then(undefined, (err: unknown) => this.#failed(err))
      return result !== false
    } catch (err) {
      this.#failed(err)
      return true
    }
  }

  #failed(err: unknown): void {
    const withheld = this.#failures.pass()
    if (withheld !== undefined) this.#owner.log.error({ err, withheld }, 'datagram handler failed')
  }
}
