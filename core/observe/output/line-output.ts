import type { OutputDevice } from './output-device.ts'

/** The most bytes that may wait for a destination which accepts none: some thousand lines. */
const MAX_WAITING_BYTES = 1024 * 1024
/** The interval of attempts at a destination that accepts no bytes. */
const RETRY_MS = 50
/** The interval of attempts at a destination that fails, such as a full disk or a closed pipe. */
const FAILED_RETRY_MS = 1000
/** The interval of attempts in `flush`. */
const FLUSH_RETRY_MS = 5

export type LineOutputOptions = {
  /** Opens the destination; called once, with the first line. */
  readonly open: () => OutputDevice
  readonly maxWaitingBytes?: number
  /** Calls back later; by a timer that does not keep the process alive unless given. */
  readonly later?: (callback: () => void, ms: number) => void
}

/**
 * Lines for a destination that may be slow: they go out at once where possible, wait up to a limit, and are dropped and
 * counted beyond it. No caller waits for them, and errors of the destination are not thrown.
 */
export class LineOutput {
  /**
   * Called with the number of dropped lines as soon as lines are accepted again; a line that it writes stands in the place
   * of the dropped ones.
   */
  onGap: (lines: number) => void = () => {}
  readonly #open: () => OutputDevice
  readonly #maxWaitingBytes: number
  readonly #later: (callback: () => void, ms: number) => void
  #device: OutputDevice | undefined
  /** The bytes that go out next, and the lines behind them. */
  #next: Buffer = Buffer.alloc(0)
  #lines: Buffer[] = []
  #waitingBytes = 0
  #isScheduled = false
  /** True from the first dropped line until half of the space is free again. */
  #isDropping = false
  #gap = 0
  #dropped = 0

  constructor({ open, maxWaitingBytes = MAX_WAITING_BYTES, later = callLater }: LineOutputOptions) {
    this.#open = open
    this.#maxWaitingBytes = maxWaitingBytes
    this.#later = later
  }

  /** The number of lines that were dropped so far. */
  get droppedLines(): number {
    return this.#dropped
  }

  /** True while the destination has not accepted all lines. */
  get isWaiting(): boolean {
    return this.#waitingBytes > 0
  }

  /** Writes a line, with its line feed. */
  write(line: string): void {
    this.#closeGap()
    const bytes = Buffer.from(line)
    if (this.#isDropping || this.#waitingBytes + bytes.length > this.#maxWaitingBytes) {
      this.#drop()
      return
    }
    this.#lines.push(bytes)
    this.#waitingBytes += bytes.length
    if (!this.#isScheduled) this.#send()
  }

  /**
   * Blocks until the destination has accepted all lines, but no longer than `timeoutMs`, and not when it fails. Only for the
   * end of the process, as it blocks the event loop.
   */
  flush(timeoutMs: number): void {
    const deadlineMs = performance.now() + timeoutMs
    const sleeper = new Int32Array(new SharedArrayBuffer(4))
    for (let outcome = this.#push(); outcome !== 'fails'; outcome = this.#push()) {
      this.#closeGap()
      if (!this.isWaiting) return
      if (outcome === 'done') continue
      if (performance.now() >= deadlineMs) return
      Atomics.wait(sleeper, 0, 0, FLUSH_RETRY_MS)
    }
  }

  #drop(): void {
    this.#isDropping = true
    this.#gap += 1
    this.#dropped += 1
  }

  #closeGap(): void {
    if (!this.#isDropping || this.#waitingBytes > this.#maxWaitingBytes / 2) return
    this.#isDropping = false
    const lines = this.#gap
    this.#gap = 0
    this.onGap(lines)
  }

  #send(): void {
    const outcome = this.#push()
    if (outcome === 'done') {
      this.#closeGap()
      return
    }
    this.#isScheduled = true
    const again = () => {
      this.#isScheduled = false
      this.#send()
    }
    this.#later(again, outcome === 'waits' ? RETRY_MS : FAILED_RETRY_MS)
  }

  /** Writes as many bytes as the destination accepts now. */
  #push(): 'done' | 'waits' | 'fails' {
    try {
      this.#device ??= this.#open()
      while (this.#waitingBytes > 0) {
        if (this.#next.length === 0) {
          const [only] = this.#lines.length === 1 ? this.#lines : []
          this.#next = only ?? Buffer.concat(this.#lines)
          this.#lines = []
        }
        const taken = this.#device.write(this.#next)
        if (taken === 0) return 'waits'
        this.#next = this.#next.subarray(taken)
        this.#waitingBytes -= taken
      }
      return 'done'
    } catch {
      return 'fails'
    }
  }
}

function callLater(callback: () => void, ms: number): void {
  setTimeout(callback, ms).unref()
}
