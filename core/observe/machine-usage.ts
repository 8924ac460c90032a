import { stat, statfs } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'
import path from 'node:path'
import { networkUsage, readNetworkTotals, type NetworkTotals, type NetworkUsage } from './network-totals.ts'

/** The age up to which a reading is used again. */
const FRESH_MS = 1000

/** The size and the usage of a resource of the machine, in bytes; `usage` is in percent. */
export type Usage = { readonly total: number; readonly free: number; readonly used: number; readonly usage: number }

/** The usage of the disk that a folder lies on. */
export type DiskUsage = Usage & { readonly folder: string }

/** The usage of the machine by all programs. */
export type MachineUsage = {
  readonly memory: Usage
  /** The usage of all cores together, 0 to 100. */
  readonly cpuPercent: number
  /** One entry for each disk that the folders of the server lie on. */
  readonly disks: readonly DiskUsage[]
  /** Empty where the system does not provide it, as on macOS and Windows. */
  readonly network: readonly NetworkUsage[]
}

type CpuTimes = { readonly busyMs: number; readonly totalMs: number }

/**
 * Reads the usage of the machine on request, and at most once a second for all callers. CPU and speeds are averages over the
 * time since the reading before.
 */
export class MachineUsageSampler {
  readonly #folders: readonly string[]
  #cpu = readCpuTimes()
  #network: { readonly timeMs: number; readonly totals: readonly NetworkTotals[] } | undefined
  #newest: { readonly timeMs: number; readonly usage: Promise<MachineUsage> } | undefined

  /**
   * @param folders the folders whose disks are read; for one that does not exist yet, the disk of its nearest existing
   * parent
   */
  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /** Never rejects: a value that can't be read is zero, or missing in a list. */
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

/** The usage as a share of the used and free bytes, as `df` counts: a part of a disk may be reserved for the administrator. */
function usageOf(total: number, free: number, used: number): Usage {
  return { total, free, used, usage: used + free > 0 ? (used / (used + free)) * 100 : 0 }
}
