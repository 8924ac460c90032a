import { readdir, readFile, stat } from 'node:fs/promises'
import { constants, PerformanceObserver, type PerformanceNodeEntry } from 'node:perf_hooks'
import type { Histogram, MetricFamily } from 'sluice/sdk'
import type { OwnedMetrics } from 'sluice/sdk/host'
import { standardOutputs } from '../output/standard-streams.ts'
import type { EventLoopDelay } from '../event-loop-delay.ts'

/** Bounds for the pauses of garbage collections, in seconds. */
const GC_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

const GC_KINDS: ReadonlyMap<number | undefined, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
])

/** The file descriptors of the process; undefined where the system does not provide them, as on macOS and Windows. */
type Descriptors = { readonly open: number | undefined; readonly max: number | undefined }

/** The metrics of the process: its resources, its event loop and its garbage collector. */
export class ProcessMetrics {
  readonly #gc: MetricFamily<Histogram, 'kind'>
  readonly #observer = new PerformanceObserver((list) => this.#collected(list.getEntries()))
  #descriptors: Descriptors = { open: undefined, max: undefined }

  constructor(metrics: OwnedMetrics, version: string, loopDelay: Pick<EventLoopDelay, 'read'>) {
    this.#gc = metrics.histogram({
      name: 'sluice_gc_seconds',
      help: 'Garbage collections, and how long each held the process up',
      labels: ['kind'],
      buckets: GC_BUCKETS,
    })
    this.#observer.observe({ entryTypes: ['gc'] })
    addProcess(metrics, version)
    const gauge = (name: string, help: string, value: () => number | undefined) =>
      metrics.gauge({ name, help, read: () => readingOf(value()) })
    gauge('sluice_event_loop_delay_p50_seconds', 'By how much the event loop was late of late, at the median', () => {
      return loopDelay.read().p50
    })
    gauge('sluice_event_loop_delay_p99_seconds', 'The same, at the 99th percentile', () => loopDelay.read().p99)
    gauge('process_open_fds', 'Descriptors that are open', () => this.#descriptors.open)
    gauge('process_max_fds', 'Descriptors that may be open', () => this.#descriptors.max)
  }

  /** Reads the values that are read asynchronously; to be called before the metrics are read. Never rejects. */
  async refresh(): Promise<void> {
    this.#descriptors = { open: await openDescriptors(), max: await maxDescriptors() }
  }

  close(): void {
    this.#observer.disconnect()
  }

  #collected(entries: readonly PerformanceEntry[]): void {
    for (const entry of entries) {
      const { kind }: { readonly kind?: number } = (entry as PerformanceNodeEntry).detail
      this.#gc.with({ kind: GC_KINDS.get(kind) ?? 'unknown' }).observe(entry.duration / 1000)
    }
  }
}

function addProcess(metrics: OwnedMetrics, version: string): void {
  const startSeconds = Date.now() / 1000 - process.uptime()
  metrics.observe({
    type: 'counter',
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process, user and system',
    read() {
      const { user, system } = process.cpuUsage()
      return [{ value: (user + system) / 1e6 }]
    },
  })
  metrics.observe({
    type: 'counter',
    name: 'sluice_log_dropped_lines_total',
    help: 'Lines for stdout or stderr that were dropped, as nobody took them',
    read() {
      const { stdout, stderr } = standardOutputs()
      return [{ value: stdout.droppedLines + stderr.droppedLines }]
    },
  })
  const gauge = (name: string, help: string, value: () => number) =>
    metrics.gauge({ name, help, read: () => [{ value: value() }] })
  gauge('process_resident_memory_bytes', 'Memory in use', () => process.memoryUsage.rss())
  gauge('process_start_time_seconds', 'When the process started, in Unix time', () => startSeconds)
  gauge('process_uptime_seconds', 'Time since the process started', () => process.uptime())
  metrics.gauge({
    name: 'nodejs_memory_bytes',
    help: 'Memory of the heap, and outside of it, as V8 counts it',
    labels: ['kind'],
    read() {
      const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
      const kinds = {
        heap_used: heapUsed,
        heap_total: heapTotal,
        external,
        array_buffers: arrayBuffers,
      }
      return Object.entries(kinds).map(([kind, value]) => ({
        labels: { kind },
        value,
      }))
    },
  })
  const build = { version, node: process.version, arch: process.arch, platform: process.platform }
  metrics
    .gauge({
      name: 'sluice_build_info',
      help: 'What runs; always 1',
      labels: ['version', 'node', 'arch', 'platform'],
    })
    .with(build)
    .set(1)
}

function readingOf(value: number | undefined): { readonly value: number }[] {
  return value === undefined ? [] : [{ value }]
}

/** Counts the open descriptors: from Linux 6.2 on by the size of the folder, before that by its entries. */
async function openDescriptors(): Promise<number | undefined> {
  try {
    const { size } = await stat('/proc/self/fd')
    return size > 0 ? size : (await readdir('/proc/self/fd')).length
  } catch {
    return undefined
  }
}

async function maxDescriptors(): Promise<number | undefined> {
  const text = await readFile('/proc/self/limits', 'latin1').catch(() => '')
  const [, soft] = /^Max open files\s+(\d+)/mu.exec(text) ?? []
  return soft === undefined ? undefined : Number(soft)
}
