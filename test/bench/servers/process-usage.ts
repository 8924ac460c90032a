import { readFile } from 'node:fs/promises'

/** Ticks a second in which Linux tells CPU times, the same on all its platforms that Node runs on. */
const TICKS_PER_SECOND = 100
/** Fields of `/proc/PID/stat` after the name in parentheses (proc_pid_stat(5)). */
const UTIME = 11
const STIME = 12

/** What processes have used and use. */
export type Usage = {
  /** User and system, all threads. */
  readonly cpuSeconds: number
  readonly rssBytes: number
}

/** Of a process and all below it; Linux only. */
export async function usageOf(pid: number): Promise<Usage> {
  const [stat, status, children] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'latin1'),
    readFile(`/proc/${pid}/status`, 'latin1'),
    readFile(`/proc/${pid}/task/${pid}/children`, 'latin1'),
  ])
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  let cpuSeconds = (Number(fields[UTIME]) + Number(fields[STIME])) / TICKS_PER_SECOND
  let rssBytes = Number(/^VmRSS:\s*(\d+)/mu.exec(status)?.[1] ?? 0) * 1024
  for (const child of children.split(' ').filter((text) => text !== '')) {
    const usage = await usageOf(Number(child))
    cpuSeconds += usage.cpuSeconds
    rssBytes += usage.rssBytes
  }
  return { cpuSeconds, rssBytes }
}
