import { readFileSync } from 'node:fs'

/** What `/proc/PID/stat` counts in: `USER_HZ`, which Linux has at 100 for all programs. */
const TICKS_PER_SECOND = 100
/** The fields after the name, which is in brackets and may hold anything: utime is field 14, stime 15 (proc(5)). */
const UTIME = 11
const STIME = 12

/** What a process has used so far, where the system tells (Linux); undefined elsewhere, and when it has ended. */
export function usageOf(pid: number): { readonly cpuMs: number; readonly memoryBytes: number } | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[UTIME]) + Number(fields[STIME])
    const [, residentKb = '0'] = /^VmRSS:\s*(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return { cpuMs: (ticks * 1000) / TICKS_PER_SECOND, memoryBytes: Number(residentKb) * 1024 }
  } catch {
    return undefined
  }
}
