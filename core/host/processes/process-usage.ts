import { readFileSync } from 'node:fs'

/** The unit of `/proc/PID/stat`: `USER_HZ`, which is 100 on Linux for all programs. */
const TICKS_PER_SECOND = 100
/**
 * The indexes of fields after the name, which is in brackets and may contain any character: utime is field 14, stime 15
 * (proc(5)).
 */
const UTIME = 11
const STIME = 12
/** The levels of descendants that are counted with a process. */
const MAX_DEPTH = 4

type Usage = { readonly cpuMs: number; readonly memoryBytes: number }

/** The usage of a process and its running descendants (Linux); undefined on other systems, and when the process has ended. */
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

/** The child processes of a process's first thread, which usually starts them; none where the system does not list them. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
