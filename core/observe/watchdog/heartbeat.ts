/** How often the event loop shows that it turns. */
export const BEAT_MS = 250

const BYTES = 16

/** What the event loop's thread tells the watchdog's, in memory that both have. */
export class Heartbeat {
  readonly memory: SharedArrayBuffer
  readonly #count: Int32Array
  readonly #isUp: Int32Array
  readonly #cpuMs: Float64Array

  /** @param memory of the heartbeat at the other thread; new unless given */
  constructor(memory = new SharedArrayBuffer(BYTES)) {
    this.memory = memory
    this.#count = new Int32Array(memory, 0, 1)
    this.#isUp = new Int32Array(memory, 4, 1)
    this.#cpuMs = new Float64Array(memory, 8, 1)
  }

  /** How often the loop has turned, seen from time to time. */
  get count(): number {
    return Atomics.load(this.#count, 0)
  }

  /** CPU time that the event loop's thread had used at its last beat, in milliseconds. */
  get cpuMs(): number {
    return this.#cpuMs[0] ?? 0
  }

  /** Tells whether the server has come up once. */
  get isUp(): boolean {
    return Atomics.load(this.#isUp, 0) !== 0
  }

  /** The server is up. That is a beat, too, so that what comes next is seen to come after it. */
  up(): void {
    Atomics.store(this.#isUp, 0, 1)
    this.beat()
  }

  beat(): void {
    this.#cpuMs[0] = threadCpuMs()
    Atomics.add(this.#count, 0, 1)
  }
}

/** CPU time that this thread has used, in milliseconds. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
