import type { CacheEntry } from '../gop-cache.ts'

/** A piece of a shared muxer's output: the bytes of one unit or configuration. */
export type Output = CacheEntry & { readonly bytes: Buffer; readonly config: boolean }

/** Outputs that leave in one write, as one buffer from a given output on; each buffer is made once for all sinks. */
export class Batch {
  readonly outputs: readonly Output[]
  /** The decoding time of the newest output. */
  readonly timeMs: number
  readonly sizeBytes: number
  /** The number of outputs that are units. */
  readonly units: number
  /** The index of the first output that a sink can start at; -1 when there is none. */
  readonly firstStart: number
  #whole: Buffer | undefined
  readonly #made = new Map<number, Buffer>()
  /** The bytes that go before this batch, by the version of the configuration that a sink has. */
  readonly #configs = new Map<number, Buffer>()

  constructor(outputs: readonly Output[]) {
    this.outputs = outputs
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

  /** The bytes of all outputs. */
  get whole(): Buffer {
    return (this.#whole ??= joinOutputs(this.outputs))
  }

  from(index: number): Buffer {
    if (index === 0) return this.whole
    const known = this.#made.get(index)
    if (known !== undefined) return known
    const bytes = joinOutputs(this.outputs.slice(index))
    this.#made.set(index, bytes)
    return bytes
  }

  /** The number of units among the outputs before an index; configurations only come first. */
  unitsBefore(index: number): number {
    return Math.max(0, index - (this.outputs.length - this.units))
  }

  /** Returns the bytes that go before this batch to sinks with an older configuration, made for the first of these. */
  config(version: number, make: () => Buffer): Buffer {
    const known = this.#configs.get(version)
    if (known !== undefined) return known
    const bytes = make()
    this.#configs.set(version, bytes)
    return bytes
  }
}

/** Joins the bytes of outputs; those of a single one are not copied. */
export function joinOutputs(outputs: readonly Output[]): Buffer {
  const [first] = outputs
  if (outputs.length === 1 && first !== undefined) return first.bytes
  return Buffer.concat(outputs.map((output) => output.bytes))
}
