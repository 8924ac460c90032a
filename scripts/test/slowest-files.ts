import type { FileTime } from './test-times.ts'

const MAX_FILES = 30

/** Returns a line for each of the files that took longest, the longest first. */
export function slowestFiles(times: ReadonlyMap<string, FileTime>): string[] {
  const slowest = [...times].toSorted(([, one], [, other]) => other.seconds - one.seconds).slice(0, MAX_FILES)
  return slowest.map(([file, { seconds, cpuSeconds }]) => {
    return `${seconds.toFixed(1).padStart(7)} s ${cpuSeconds.toFixed(1).padStart(7)} s of processors  ${file}`
  })
}
