import { cpus } from 'node:os'

/** Tells how much of the time of all cores nobody used, also no other program. */
export class IdleCores {
  #last = coreTimesMs()

  /** The idle share, from 0 to 1, since it was last asked. */
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
