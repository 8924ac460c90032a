import { readFileSync, writeFileSync } from 'node:fs'

/** How long the files of tests took when this was last written; see {@link writeTimes}. */
const KEPT = 'test/times.json'
/** Files below are alike: they need not be kept. */
const LEAST_SECONDS = 2
/** A file that isn't kept is taken to be short. */
const UNKNOWN_SECONDS = 1

type KeptTimes = Readonly<Record<string, readonly [seconds: number, cpuSeconds: number]>>

/** What a file took. */
export type FileTime = {
  /** From its first hook to its last. */
  readonly seconds: number
  /** Time of the processors, with that of its child processes where the system tells it. */
  readonly cpuSeconds: number
}

/** The times of files by their paths, of a run that may lie long ago: they order the parts, and need not be exact. */
export class TestTimes {
  readonly #kept: KeptTimes

  constructor(text = readFileSync(KEPT, 'utf8')) {
    this.#kept = JSON.parse(text) as KeptTimes
  }

  secondsOf(file: string): number {
    return this.#kept[file]?.[0] ?? UNKNOWN_SECONDS
  }
}

/** Keeps what the files of a whole run took for the next ones. */
export function writeTimes(times: ReadonlyMap<string, FileTime>): void {
  writeFileSync(KEPT, formatTimes(times))
}

/** A line for each file, by name, so that a change of one is a change of a line. */
export function formatTimes(times: ReadonlyMap<string, FileTime>): string {
  const rows = [...times]
    .filter(([, { seconds }]) => seconds >= LEAST_SECONDS)
    .map(([file, time]) => `  ${JSON.stringify(file)}: [${Math.round(time.seconds)}, ${Math.round(time.cpuSeconds)}]`)
    .toSorted()
  return `{\n${rows.join(',\n')}\n}\n`
}
