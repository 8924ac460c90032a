/** A request that is answered when a segment or part has been made. */
export interface WaitingRequest {
  /** The longest that it waits, on the clock of `expire`. */
  readonly deadlineMs: number
  /** True when the client has left. */
  readonly gone: boolean
  /** The session that it belongs to; undefined for none. */
  readonly owner?: object
  /** Answers the request if what it waits for exists, or can't come any more; returns true when it did. */
  answer(): boolean
  /** Answers that the deadline has passed. */
  expire(): void
  /** Called when it stops waiting, answered or not. */
  ended(): void
}

/** The waiting requests of one presentation. They have no timers: they are checked when it changes and when time passes. */
export class WaitingRequests {
  readonly #onError: (error: unknown) => void
  #requests: WaitingRequest[] = []

  /** @param onError called with the errors of answers */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  get count(): number {
    return this.#requests.length
  }

  add(request: WaitingRequest): void {
    this.#requests.push(request)
  }

  /** Removes and returns the requests of one owner. */
  split(owner: object): WaitingRequests {
    const split = new WaitingRequests(this.#onError)
    const requests = this.#requests
    this.#requests = requests.filter((request) => request.owner !== owner)
    split.#requests = requests.filter((request) => request.owner === owner)
    return split
  }

  /** Answers all requests that can be answered, in one pass. */
  release(): void {
    this.#keep((request) => !request.answer())
  }

  /** Removes the requests of clients that have left, and answers those with a passed deadline. */
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
