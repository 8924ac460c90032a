import { readFileSync } from 'node:fs'

/**
 * How long the main thread of a process was ready to run in all while the machine ran others, in milliseconds: the second
 * field of `/proc/<pid>/schedstat` (Linux, sched-stats). 0 where there is none.
 */
export function waitedForCpuMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
