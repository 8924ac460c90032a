import type { CacheEntry } from '../gop-cache.ts'

/** What a shared muxer puts out: one unit's bytes, or a configuration's. */
export type Output = CacheEntry & { readonly bytes: Buffer; readonly config: boolean }

/** What leaves in one write: outputs as one buffer from a given one on, each made once for all sinks that need it. */
export class Batch {
  readonly outputs: readonly Output[]
  /** Decoding time of the newest output. */
  readonly timeMs: number
  readonly sizeBytes: number
  /** How many of the outputs are units. */
  readonly units: number
  /** Index of the first output that a sink can start at; -1 when there is none. */
  readonly firstStart: number
  readonly #frame: (bytes: Buffer) => Buffer
  readonly #made = new Map<number, Buffer>()
  /** By the version of the configuration that a sink has. */
  readonly #configs = new Map<number, Buffer>()

  constructor(outputs: readonly Output[], frame: (bytes: Buffer) => Buffer) {
    this.outputs = outputs
    this.#frame = frame
    this.timeMs = outputs.at(-1)?.timeMs ?? 0
    this.firstStart = outputs.findIndex((output) => output.start)
    let sizeBytes = 0
    let units = 0
    for (const output of outputs) {
      sizeBytes += output.sizeBytes
      if (!output.config) units++
    }
    this.sizeBytes = sizeBytes
    this.units = units
  }

  from(index: number): Buffer {
    const known = this.#made.get(index)
    if (known !== undefined) return known
    const bytes = this.#frame(joinOutputs(index === 0 ? this.outputs : this.outputs.slice(index)))
    this.#made.set(index, bytes)
    return bytes
  }

  /** How many of the outputs before an index are units; configurations only come first. */
  unitsBefore(index: number): number {
    return Math.max(0, index - (this.outputs.length - this.units))
  }

  /** What goes before this batch to sinks that have an older configuration; made for the first who asks. */
  config(version: number, make: () => Buffer): Buffer {
    const known = this.#configs.get(version)
    if (known !== undefined) return known
    const bytes = make()
    this.#configs.set(version, bytes)
    return bytes
  }
}

/** The bytes of outputs one after the other; of a single one without a copy. */
export function joinOutputs(outputs: readonly Output[]): Buffer {
  const [first] = outputs
  if (outputs.length === 1 && first !== undefined) return first.bytes
  return Buffer.concat(outputs.map((output) => output.bytes))
}
