import type { AccessUnit } from '../media/access-unit.ts'
import type { Track } from '../media/track.ts'
import type { CloseReason } from '../stream/close-reason.ts'
import type { UnitReader } from '../stream/subscriber.ts'
import type { FakeOutput } from './fake-output.ts'

/** Calls a unit reader as the host does: the next call waits for the promise of the one before. It has no bounds. */
export class ReaderOutput implements FakeOutput {
  readonly #reader: UnitReader
  readonly #close: (reason: CloseReason) => void
  readonly #waiting: (() => unknown)[] = []
  #busy = false

  constructor(reader: UnitReader, close: (reason: CloseReason) => void) {
    this.#reader = reader
    this.#close = close
  }

  start(): void {}

  track(track: Track): void {
    this.#call(() => this.#reader.track?.(track))
  }

  unit(unit: AccessUnit): void {
    this.#call(() => this.#reader.unit(unit))
  }

  trackRemoved(track: Track): void {
    this.#call(() => this.#reader.trackRemoved?.(track))
  }

  discontinuity(): void {
    this.#call(() => this.#reader.discontinuity?.())
  }

  sourceEnded(): void {
    this.#call(() => this.#reader.sourceEnded?.())
  }

  #call(call: () => unknown): void {
    if (this.#busy) this.#waiting.push(call)
    else this.#settle(call())
  }

  #settle(result: unknown): void {
    if (!(result instanceof Promise)) return
    this.#busy = true
    result.then(
      () => this.#next(),
      () => this.#close({ code: 'failed', text: 'failed' }),
    )
  }

  #next(): void {
    this.#busy = false
    for (let call = this.#waiting.shift(); call !== undefined; call = this.#waiting.shift()) {
      this.#settle(call())
      if (this.#busy) return
    }
  }
}
