import { stat, statfs } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'
import path from 'node:path'
import { networkUsage, readNetworkTotals, type NetworkTotals, type NetworkUsage } from './network-totals.ts'

/** How old a reading may be before the machine is looked at again. */
const FRESH_MS = 1000

/** How much of something the machine has, in bytes; `usage` is in percent. */
export type Usage = { readonly total: number; readonly free: number; readonly used: number; readonly usage: number }

/** The disk that a folder lies on. */
export type DiskUsage = Usage & { readonly folder: string }

/** What the machine is busy with, besides this server. */
export type MachineUsage = {
  readonly memory: Usage
  /** All cores together, 0 to 100. */
  readonly cpuPercent: number
  /** One for each disk that the folders of the server lie on. */
  readonly disks: readonly DiskUsage[]
  /** Empty where the system does not tell, as on macOS and Windows. */
  readonly network: readonly NetworkUsage[]
}

type CpuTimes = { readonly busyMs: number; readonly totalMs: number }

/**
 * Reads what the machine is busy with: when it is asked, and at most once a second, whoever asks. CPU and speeds are those
 * between two readings, so they are averages over the time since somebody asked before.
 */
export class MachineUsageSampler {
  readonly #folders: readonly string[]
  #cpu = readCpuTimes()
  #network: { readonly timeMs: number; readonly totals: readonly NetworkTotals[] } | undefined
  #newest: { readonly timeMs: number; readonly usage: Promise<MachineUsage> } | undefined

  /** @param folders Those whose disks matter; one that is not there yet stands for the nearest above it that is. */
  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /** Never rejects: what can't be read is zero, or missing in a list. */
  read(): Promise<MachineUsage> {
    const timeMs = performance.now()
    if (this.#newest === undefined || timeMs - this.#newest.timeMs >= FRESH_MS) {
      this.#newest = { timeMs, usage: this.#sample(timeMs) }
    }
    return this.#newest.usage
  }

  async #sample(timeMs: number): Promise<MachineUsage> {
    const [total, free] = [totalmem(), freemem()]
    const memory = usageOf(total, free, total - free)
    const cpuPercent = this.#sampleCpu()
    const [disks, totals] = await Promise.all([readDisks(this.#folders), readNetworkTotals()])
    return { memory, cpuPercent, disks, network: this.#speedsOf(totals, timeMs) }
  }

  #sampleCpu(): number {
    const before = this.#cpu
    this.#cpu = readCpuTimes()
    const totalMs = this.#cpu.totalMs - before.totalMs
    return totalMs <= 0 ? 0 : Math.min(100, Math.max(0, ((this.#cpu.busyMs - before.busyMs) / totalMs) * 100))
  }

  #speedsOf(totals: readonly NetworkTotals[], timeMs: number): NetworkUsage[] {
    const before = this.#network ?? { timeMs, totals }
    this.#network = { timeMs, totals }
    return networkUsage(totals, before.totals, timeMs - before.timeMs)
  }
}

function readCpuTimes(): CpuTimes {
  let busyMs = 0
  let idleMs = 0
  for (const { times } of cpus()) {
    busyMs += times.user + times.nice + times.sys + times.irq
    idleMs += times.idle
  }
  return { busyMs, totalMs: busyMs + idleMs }
}

async function readDisks(folders: readonly string[]): Promise<DiskUsage[]> {
  const disks = new Map<number, DiskUsage>()
  for (const folder of folders) {
    const existing = await nearestFolder(path.resolve(folder))
    if (existing === undefined || disks.has(existing.device)) continue
    const disk = await statfs(existing.folder).catch(() => undefined)
    if (disk === undefined) continue
    const { bsize, blocks, bavail, bfree } = disk
    disks.set(existing.device, { folder, ...usageOf(blocks * bsize, bavail * bsize, (blocks - bfree) * bsize) })
  }
  return [...disks.values()]
}

async function nearestFolder(folder: string): Promise<{ folder: string; device: number } | undefined> {
  const found = await stat(folder).catch(() => undefined)
  if (found !== undefined) return { folder, device: found.dev }
  const parent = path.dirname(folder)
  return parent === folder ? undefined : nearestFolder(parent)
}

/** A share of what is used and free, as part of a disk may be nobody's but the administrator's (as `df` counts). */
function usageOf(total: number, free: number, used: number): Usage {
  return { total, free, used, usage: used + free > 0 ? (used / (used + free)) * 100 : 0 }
}
