import { getHeapStatistics } from 'node:v8'

/** Something done to access units, many of them at a time. */
export type UnitBench = {
  readonly name: string
  /** How many units one call of `run` handles. */
  readonly units: number
  readonly run: () => void | Promise<void>
}

export type UnitResult = {
  readonly name: string
  readonly unitsPerSecond: number
  readonly nanosecondsPerUnit: number
  /** On V8's heap; what buffers hold elsewhere is not in it. */
  readonly heapBytesPerUnit: number
}

type Sample = { readonly runsPerMs: number; readonly heapBytesPerRun: number }

const WARM_UP_MS = 500
const SAMPLE_MS = 200
const SAMPLES = 9

/** Takes the fastest of some samples: what else runs on the machine can only slow them. */
export async function runUnitBench({ name, units, run }: UnitBench): Promise<UnitResult> {
  await sample(run, WARM_UP_MS)
  let best: Sample = { runsPerMs: 0, heapBytesPerRun: 0 }
  for (let index = 0; index < SAMPLES; index++) {
    const next = await sample(run, SAMPLE_MS)
    if (next.runsPerMs > best.runsPerMs) best = next
  }
  const unitsPerSecond = best.runsPerMs * 1000 * units
  return {
    name,
    unitsPerSecond,
    nanosecondsPerUnit: 1e9 / unitsPerSecond,
    heapBytesPerUnit: best.heapBytesPerRun / units,
  }
}

async function sample(run: UnitBench['run'], durationMs: number): Promise<Sample> {
  const allocatedBefore = allocatedBytes()
  const startMs = performance.now()
  let runs = 0
  let elapsedMs = 0
  while (elapsedMs < durationMs) {
    const pending = run()
    if (pending !== undefined) await pending
    runs++
    elapsedMs = performance.now() - startMs
  }
  return { runsPerMs: runs / elapsedMs, heapBytesPerRun: (allocatedBytes() - allocatedBefore) / runs }
}

function allocatedBytes(): number {
  return getHeapStatistics().total_allocated_bytes
}
