import { readFileSync } from 'node:fs'

/** Linux gives times of processes in ticks of 10 ms, on all machines that Node runs on. */
const TICK_SECONDS = 0.01
/** `cutime` and `cstime` of proc(5), counted behind the name of the program, which may hold spaces. */
const CHILD_TICKS = [13, 14] as const

/** Seconds of processors that this process has used, and on Linux its child processes that have ended. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + childSeconds()
}

function childSeconds(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return CHILD_TICKS.reduce((sum, field) => sum + Number(fields[field]) * TICK_SECONDS, 0)
}
