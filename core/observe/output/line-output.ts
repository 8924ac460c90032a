import type { OutputDevice } from './output-device.ts'

/** The bytes that may wait for a destination which takes nothing: some thousand lines. */
const MAX_WAITING_BYTES = 1024 * 1024
/** How often one that takes nothing is tried again. */
const RETRY_MS = 50
/** How often one that fails is tried again, as a full disk or a closed pipe. */
const FAILED_RETRY_MS = 1000
/** How often it is tried while the process waits for it, to end. */
const FLUSH_RETRY_MS = 5

export type LineOutputOptions = {
  /** Opens the destination; asked for once, with the first line. */
  readonly open: () => OutputDevice
  readonly maxWaitingBytes?: number
  /** Calls back later; a timer that keeps no process alive unless given. */
  readonly later?: (callback: () => void, ms: number) => void
}

/**
 * Lines for a destination that may not take them: they go out at once where they can, wait within a bound where they
 * can't, and are dropped and counted beyond it. Nobody waits for them, and no error of the destination is thrown.
 */
export class LineOutput {
  /** Is called with the number of lines that were dropped, as soon as lines go on; what it writes comes in their place. */
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
  /** From the first line that is dropped until there is much room again. */
  #isDropping = false
  #gap = 0
  #dropped = 0

  constructor({ open, maxWaitingBytes = MAX_WAITING_BYTES, later = callLater }: LineOutputOptions) {
    this.#open = open
    this.#maxWaitingBytes = maxWaitingBytes
    this.#later = later
  }

  /** How many lines were dropped so far. */
  get droppedLines(): number {
    return this.#dropped
  }

  /** True while the destination has not taken all lines. */
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
   * Waits for the destination to take what there is, but no longer than this, and not for one that fails: for the end of
   * the process, as it holds up everything.
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

  /** Gives the destination what it takes now. */
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
