import { cpus } from 'node:os'

/** Measures the share of the time of all cores that no program used. */
export class IdleCores {
  #last = coreTimesMs()

  /** Returns the idle share, from 0 to 1, since the last call. */
  share(): number {
    const { idle, all } = coreTimesMs()
    const before = this.#last
    this.#last = { idle, all }
    return all > before.all ? (idle - before.idle) / (all - before.all) : 0
  }
}

function coreTimesMs(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((core) => core.times)
  const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
  return { idle: sumOf(times.map(({ idle }) => idle)), all: sumOf(times.flatMap((time) => Object.values(time))) }
}
