import { readFileSync, writeFileSync } from 'node:fs'

/** The file with the times of test files; see {@link writeTimes}. */
const KEPT = 'test/times.json'
/** The least time that is stored: shorter files are alike. */
const LEAST_SECONDS = 2
/** The assumed time of a file without a stored one. */
const UNKNOWN_SECONDS = 1

type KeptTimes = Readonly<Record<string, readonly [seconds: number, cpuSeconds: number]>>

/** The time that a file took. */
export type FileTime = {
  /** The time from its first hook to its last. */
  readonly seconds: number
  /** The processor time, with that of its child processes when the system reports it. */
  readonly cpuSeconds: number
}

/** The times of files by path, of a run that may be long ago: they order the parts, and need not be exact. */
export class TestTimes {
  readonly #kept: KeptTimes

  constructor(text = readFileSync(KEPT, 'utf8')) {
    this.#kept = JSON.parse(text) as KeptTimes
  }

  secondsOf(file: string): number {
    return this.#kept[file]?.[0] ?? UNKNOWN_SECONDS
  }
}

/** Stores the times of the files of a whole run for the next runs. */
export function writeTimes(times: ReadonlyMap<string, FileTime>): void {
  writeFileSync(KEPT, formatTimes(times))
}

/** Returns a line for each file, by name, so that a change of one file is a change of one line. */
export function formatTimes(times: ReadonlyMap<string, FileTime>): string {
  const rows = [...times]
    .filter(([, { seconds }]) => seconds >= LEAST_SECONDS)
    .map(([file, time]) => `  ${JSON.stringify(file)}: [${Math.round(time.seconds)}, ${Math.round(time.cpuSeconds)}]`)
    .toSorted()
  return `{\n${rows.join(',\n')}\n}\n`
}
