/**
 * Runs all tests in parts, of which as many run at a time as there are cores, and one more while these are idle: half of the time
 * of those with browsers and pulls is real time that passes.
 * The last line is `N passed, N failed`, of all parts together.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

const MOCHA = ['--conditions=source', 'node_modules/mocha/bin/mocha.js', '--reporter', './test/mocha/file-reporter.ts']
/** Servers and modules that tests start in processes of their own need not be compiled each time. */
const ENV = { NODE_COMPILE_CACHE: path.resolve('node_modules/.cache/compile'), ...process.env }
const AT_ONCE = availableParallelism()
/** One more part is begun when the cores had so much of so long a time to spare. */
const SPARE_SHARE = 0.3
const SPARE_MS = 5000
/**
 * Which files make parts, and of how many. Of those whose players show media as it comes, one part runs at a time: more would
 * take the machine from each other.
 */
const KINDS: readonly Kind[] = [
  { files: 'test/e2e/**/*.test.ts', perPart: 4, isRealTime: true },
  { files: 'test/integration/**/*.test.ts', perPart: 8, isRealTime: true },
  { files: 'test/!(e2e|integration)/**/*.test.ts', perPart: 8 },
  { files: '{sdk,core,plugins,examples,scripts}/**/*.test.ts', perPart: 60 },
  { files: 'test/*.test.ts', perPart: 60 },
]
const PASSED_FILE = /^\S+\.test\.ts: \d/u
const SUMMARY = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/u

type Kind = { readonly files: string; readonly perPart: number; readonly isRealTime?: boolean }
/** What is left to run of a kind. */
type Queue = { readonly parts: string[][]; readonly isRealTime: boolean; running: number }
type Outcome = { readonly passed: number; readonly failed: number; readonly skipped: number }

/**
 * One process of mocha, whose lines are printed when it ends, and of a failed one again after the last part. A run without a
 * summary, or that ends badly after one, has failed.
 */
async function run(files: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [...MOCHA, ...files], { stdio: ['ignore', 'pipe', 'inherit'], env: ENV })
  const lines: string[] = []
  let outcome: Outcome | undefined
  createInterface(child.stdout).on('line', (line) => {
    const [, passed, failed, skipped = 0] = SUMMARY.exec(line) ?? []
    if (passed !== undefined) outcome = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) }
    else lines.push(line)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  for (const line of lines) if (line !== '') console.log(line)
  if (code !== 0) failures.push(...lines.filter((line) => line !== '' && !PASSED_FILE.test(line)))
  const { passed = 0, failed = 0, skipped = 0 } = outcome ?? {}
  return { passed, failed: code === 0 ? failed : Math.max(1, failed), skipped }
}

const queues = KINDS.map(({ files, perPart, isRealTime = false }): Queue => {
  const found = globSync(files).toSorted()
  const parts = Array.from({ length: Math.ceil(found.length / perPart) }, (_, part) =>
    found.slice(part * perPart, (part + 1) * perPart),
  )
  return { parts, isRealTime, running: 0 }
})
const outcomes: Outcome[] = []
/** What the parts that failed say of it. */
const failures: string[] = []
const next = () => queues.find(({ parts, isRealTime, running }) => parts.length > 0 && !(isRealTime && running > 0))

async function runAll(wait?: () => Promise<void>): Promise<void> {
  for (let queue = next(); queue !== undefined; queue = next()) {
    queue.running += 1
    outcomes.push(await run(queue.parts.shift() ?? []))
    queue.running -= 1
    await wait?.()
  }
}

/** Waits for cores with time to spare, or the last part. */
async function spareTime(): Promise<void> {
  for (let share = 0; share < SPARE_SHARE && next() !== undefined;) {
    const before = cpuTimesMs()
    await delay(SPARE_MS)
    const after = cpuTimesMs()
    share = (after.idle - before.idle) / (after.all - before.all)
  }
}

function cpuTimesMs(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((core) => core.times)
  const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
  return { idle: sumOf(times.map(({ idle }) => idle)), all: sumOf(times.flatMap((time) => Object.values(time))) }
}

const extra = spareTime().then(() => runAll(spareTime))
await Promise.all([...Array.from({ length: AT_ONCE }, () => runAll()), extra])
for (const line of failures) console.log(line)
const sum = (what: keyof Outcome) => outcomes.reduce((total, outcome) => total + outcome[what], 0)
const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped}`)
if (sum('failed') > 0) process.exitCode = 1
