/** A request that is answered when something has been made. */
export interface WaitingRequest {
  /** Waits no longer than this, on the clock of whoever calls `expire`. */
  readonly deadlineMs: number
  /** Whether nobody waits any more. */
  readonly gone: boolean
  /** The one for whom it is kept; undefined for those that are nobody's own. */
  readonly owner?: object
  /** Answers if what it waits for is there, or can't come any more; tells whether it did. */
  answer(): boolean
  /** Answers that it did not come in time. */
  expire(): void
  /** Called when it waits no longer, answered or not. */
  ended(): void
}

/** Requests of one presentation that wait. They have no timers: they are looked at when it changes and when time passes. */
export class WaitingRequests {
  readonly #onError: (error: unknown) => void
  #requests: WaitingRequest[] = []

  /** @param onError told what an answer throws */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  get count(): number {
    return this.#requests.length
  }

  add(request: WaitingRequest): void {
    this.#requests.push(request)
  }

  /** Gives those of one owner, who wait here no more. */
  split(owner: object): WaitingRequests {
    const split = new WaitingRequests(this.#onError)
    const requests = this.#requests
    this.#requests = requests.filter((request) => request.owner !== owner)
    split.#requests = requests.filter((request) => request.owner === owner)
    return split
  }

  /** Answers all that can be answered, in one pass. */
  release(): void {
    this.#keep((request) => !request.answer())
  }

  /** Lets go of those that have left, and those whose time is over. */
  expire(nowMs: number): void {
    this.#keep((request) => {
      if (nowMs < request.deadlineMs) return true
      request.expire()
      return false
    })
  }

  #keep(waits: (request: WaitingRequest) => boolean): void {
    if (this.#requests.length === 0) return
    const requests = this.#requests
    this.#requests = []
    for (const request of requests) {
      if (!request.gone && this.#guarded(request, waits)) this.#requests.push(request)
      else request.ended()
    }
  }

  #guarded(request: WaitingRequest, waits: (request: WaitingRequest) => boolean): boolean {
    try {
      return waits(request)
    } catch (error) {
      this.#onError(error)
      request.expire()
      return false
    }
  }
}
