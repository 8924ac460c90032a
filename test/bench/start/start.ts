import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../peers/free-port.ts'
import { COMMAND_ENV, PROGRAM } from '../../support/command.ts'
import { newestProfile } from '../report/profile.ts'
import { formatNumber, formatTable } from '../report/table.ts'
import { usageOf } from '../servers/process-usage.ts'
import { distributionOf } from '../statistics.ts'
import { costsOf, type Cost } from './module-costs.ts'

const FLAGS = ['--max-semi-space-size=1']
const MAIN = path.resolve(PROGRAM, '..', '..', 'cli', 'main.ts')
const POLL_MS = 20
const TOP = 40

/** The ways of a start: Node's arguments. */
const WAYS = [
  { name: 'the build, as npm start runs it', args: [...FLAGS, PROGRAM] },
  { name: 'the sources as they are', args: [...FLAGS, '--conditions=source', MAIN] },
] as const

/** The cost of a start, until the server was ready. */
type Start = { readonly cpuSeconds: number; readonly wallSeconds: number; readonly rssBytes: number }
export type StartResult = {
  readonly starts: readonly { readonly name: string; readonly runs: readonly Start[] }[]
  readonly costs: readonly Cost[]
}

/**
 * Starts the server with the shipped config, all plugins on and free ports, in turn from its build and from its sources, and
 * once with a profile that shows which modules take how long. The first start of a build also compiles it, and does not count.
 */
export async function runStarts(rounds: number): Promise<StartResult> {
  for (const { args } of WAYS) await startOnce(args)
  const starts = WAYS.map(({ name, args }) => ({ name, args, runs: [] as Start[] }))
  for (let round = 0; round < rounds; round++) {
    for (const { args, runs } of starts) runs.push(await startOnce(args))
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'))
  try {
    await startOnce(['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200', ...WAYS[0].args])
    const profile = await newestProfile(folder)
    return { starts, costs: profile === undefined ? [] : await costsOf(profile) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

export function formatStarts({ starts, costs }: StartResult): string {
  const median = (values: readonly number[], digits: number) => formatNumber(distributionOf(values).p50, digits)
  const rows = starts.map(({ name, runs }) => [
    name,
    median(
      runs.map(({ cpuSeconds }) => cpuSeconds),
      2,
    ),
    median(
      runs.map(({ wallSeconds }) => wallSeconds),
      2,
    ),
    median(
      runs.map(({ rssBytes }) => rssBytes / 1e6),
      0,
    ),
  ])
  const table = formatTable(['start of', 'CPU s', 'wall s', 'RSS MB'], rows)
  const modules = costs.slice(0, TOP).map(({ name, ms }) => [formatNumber(ms, 0), name])
  return `Starts until /readyz says so; medians\n\n${table}\nTime of the main thread by package and folder, in a profiled start\n\n${formatTable(['ms', 'in'], modules)}`
}

async function startOnce(args: readonly string[]): Promise<Start> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-'))
  const port = await freePort()
  const env = {
    ...process.env,
    ...COMMAND_ENV,
    SLUICE_GLOBAL_HTTP_LISTENADDR: `127.0.0.1:${port}`,
    SLUICE_DEMO_ENABLE: 'true',
    SLUICE_JSMPEG_ENABLE: 'true',
  }
  const startMs = performance.now()
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: 'ignore' })
  const exit = once(child, 'exit')
  try {
    while (!(await isReady(port))) {
      if (child.exitCode !== null || child.pid === undefined) throw new Error('the server ended')
      await delay(POLL_MS)
    }
    const wallSeconds = (performance.now() - startMs) / 1000
    return { ...(await usageOf(child.pid ?? 0)), wallSeconds }
  } finally {
    child.kill('SIGTERM')
    await exit
    await rm(folder, { recursive: true, force: true })
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
  } catch {
    return false
  }
}
