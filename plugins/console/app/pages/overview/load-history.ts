import type { Paths } from 'sluice/api'

export type Load = Paths['GET /api/load/sse']['event']

/** The time that the graphs show. */
const KEPT_S = 600
/** A longer time without samples is a gap: the page was not open, or the server away. */
const GAP_S = 15

/** Values over time: `values[name][i]` at `times[i]`, in Unix seconds; null is a gap. */
export type Series = {
  readonly times: readonly number[]
  readonly values: { readonly [Name in Measured]: readonly (number | null)[] }
}

const MEASURED = [
  'streams',
  'viewers',
  'receivedBps',
  'sentBps',
  'cpuPercent',
  'processMemory',
  'loopDelayP99',
] as const
export type Measured = (typeof MEASURED)[number]

type Sample = { readonly timeS: number } & { readonly [Name in Measured]: number | null }

/** The load of the last ten minutes, as far as it was seen. */
export class LoadHistory {
  #samples: readonly Sample[] = []

  /** Adds a sample that is newer than all before; an older or the same one changes nothing. */
  add(load: Load): void {
    const timeS = new Date(load.time).getTime() / 1000
    const newest = this.#samples.at(-1)?.timeS ?? -Infinity
    if (!(timeS > newest)) return
    const gap = timeS - newest > GAP_S && newest > 0 ? [emptySample(newest + 1)] : []
    const kept = this.#samples.filter((sample) => sample.timeS >= timeS - KEPT_S)
    this.#samples = [...kept, ...gap, { timeS, ...picked((name) => load[name]) }]
  }

  /** The samples, with an empty one ten minutes before the newest, so that graphs always show that time. */
  get series(): Series {
    const newest = this.#samples.at(-1)
    const oldest = this.#samples[0]
    const start = newest && newest.timeS - KEPT_S
    const isShort = start !== undefined && oldest !== undefined && oldest.timeS > start
    const samples = isShort ? [emptySample(start), ...this.#samples] : this.#samples
    return {
      times: samples.map(({ timeS }) => timeS),
      values: picked((name) => samples.map((sample) => sample[name])),
    }
  }
}

function emptySample(timeS: number): Sample {
  return { timeS, ...picked(() => null) }
}

function picked<Value>(valueOf: (name: Measured) => Value): { readonly [Name in Measured]: Value } {
  return Object.fromEntries(MEASURED.map((name) => [name, valueOf(name)])) as { [Name in Measured]: Value }
}
