/** The interval of the beats of the event loop. */
export const BEAT_MS = 250

const BYTES = 16

/** The state that the event loop's thread shares with the watchdog's, in shared memory. */
export class Heartbeat {
  readonly memory: SharedArrayBuffer
  readonly #count: Int32Array
  readonly #isUp: Int32Array
  readonly #cpuMs: Float64Array

  /** @param memory the memory of the other thread's heartbeat; new unless given */
  constructor(memory = new SharedArrayBuffer(BYTES)) {
    this.memory = memory
    this.#count = new Int32Array(memory, 0, 1)
    this.#isUp = new Int32Array(memory, 4, 1)
    this.#cpuMs = new Float64Array(memory, 8, 1)
  }

  /** The number of beats so far; each is in another turn of the loop. */
  get count(): number {
    return Atomics.load(this.#count, 0)
  }

  /** The CPU time that the event loop's thread had used at its last beat, in milliseconds. */
  get cpuMs(): number {
    return this.#cpuMs[0] ?? 0
  }

  /** True once the server is up. */
  get isUp(): boolean {
    return Atomics.load(this.#isUp, 0) !== 0
  }

  /** Marks the server as up. It is a beat, too, so that code that runs afterwards belongs to another beat. */
  up(): void {
    Atomics.store(this.#isUp, 0, 1)
    this.beat()
  }

  beat(): void {
    this.#cpuMs[0] = threadCpuMs()
    Atomics.add(this.#count, 0, 1)
  }
}

/** The CPU time that this thread has used, in milliseconds. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
