import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Span } from '../statistics.ts'
import { formatTable } from './table.ts'

/** What `node --cpu-prof` writes, as far as it is read here. */
type CpuProfile = {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  /** In microseconds of the monotonic clock. */
  readonly startTime: number
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const TOP = 25

/** The profiles of main threads: others have another number than 0 after that of the process. */
const MAIN_THREAD = /\.0\.\d+\.cpuprofile$/u

/** The file that was written into a folder last, of a main thread. */
export async function newestProfile(folder: string): Promise<string | undefined> {
  const names = (await readdir(folder)).filter((name) => MAIN_THREAD.test(name))
  const last = names.toSorted().at(-1)
  return last === undefined ? undefined : path.join(folder, last)
}

/** The functions that took most time themselves within a span, as shares of what was not idle. */
export async function topFunctions(file: string, { startUs, endUs }: Span): Promise<string> {
  const profile = JSON.parse(await readFile(file, 'utf8')) as CpuProfile
  const labels = new Map(profile.nodes.map(({ id, callFrame }) => [id, labelOf(callFrame)]))
  const selfUs = new Map<string, number>()
  let timeUs = profile.startTime
  let busyUs = 0
  for (const [index, id] of profile.samples.entries()) {
    const tookUs = profile.timeDeltas[index + 1] ?? 0
    timeUs += profile.timeDeltas[index] ?? 0
    const label = labels.get(id) ?? '?'
    if (timeUs < startUs || timeUs > endUs || label === '(idle)') continue
    selfUs.set(label, (selfUs.get(label) ?? 0) + tookUs)
    busyUs += tookUs
  }
  const top = [...selfUs].toSorted(([, a], [, b]) => b - a).slice(0, TOP)
  return formatTable(
    ['self %', 'function'],
    top.map(([label, us]) => [((us / busyUs) * 100).toFixed(1), label]),
  )
}

function labelOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  return url === '' ? name : `${name} ${url.split('/').slice(-3).join('/')}:${lineNumber + 1}`
}
