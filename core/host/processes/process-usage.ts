import { readFileSync } from 'node:fs'

/** What `/proc/PID/stat` counts in: `USER_HZ`, which Linux has at 100 for all programs. */
const TICKS_PER_SECOND = 100
/** The fields after the name, which is in brackets and may hold anything: utime is field 14, stime 15 (proc(5)). */
const UTIME = 11
const STIME = 12
/** So many generations of what it has started itself are counted with it. */
const MAX_DEPTH = 4

type Usage = { readonly cpuMs: number; readonly memoryBytes: number }

/**
 * What a process has used so far with all that it has started and that runs, where the system tells (Linux); undefined
 * elsewhere, and when it has ended.
 */
export function usageOf(pid: number): Usage | undefined {
  return process.platform === 'linux' ? usageBelow(pid, 0) : undefined
}

function usageBelow(pid: number, depth: number): Usage | undefined {
  const own = ownUsageOf(pid)
  if (own === undefined || depth === MAX_DEPTH) return own
  const usages = [own, ...childrenOf(pid).flatMap((child) => usageBelow(child, depth + 1) ?? [])]
  return {
    cpuMs: usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    memoryBytes: usages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  }
}

function ownUsageOf(pid: number): Usage | undefined {
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

/** What the first thread of a process has started, as programs usually do; none where the system does not tell. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
