import type { MotionRequest } from './motion.ts'

/** The tries of a request to stop: a camera that is not told goes on. */
const STOP_TRIES = 3

/**
 * Sends requests one after another, as they would overtake each other else. While one is on its way, the newest for each part of the
 * camera waits; so the last one to stop is always sent.
 */
export class MotionQueue {
  readonly #send: (request: MotionRequest) => Promise<unknown>
  readonly #onFailure: (error: Error) => void
  readonly #waiting = new Map<MotionRequest['part'], MotionRequest>()
  /** True until all requests are answered. */
  isBusy = false

  constructor(send: (request: MotionRequest) => Promise<unknown>, onFailure: (error: Error) => void) {
    this.#send = send
    this.#onFailure = onFailure
  }

  push(request: MotionRequest): void {
    this.#waiting.delete(request.part)
    this.#waiting.set(request.part, request)
    if (!this.isBusy) void this.#work()
  }

  async #work(): Promise<void> {
    this.isBusy = true
    for (const [part, request] of this.#waiting) {
      this.#waiting.delete(part)
      await this.#try(request)
    }
    this.isBusy = false
  }

  async #try(request: MotionRequest): Promise<void> {
    const tries = request.isStop ? STOP_TRIES : 1
    for (let count = 1; count <= tries; count += 1) {
      try {
        return void (await this.#send(request))
      } catch (error) {
        if (count === tries) this.#onFailure(error as Error)
      }
    }
  }
}
