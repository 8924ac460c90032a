import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { FileTime } from './test-times.ts'
import type { TestPart } from './test-parts.ts'

const MOCHA = ['--conditions=source', 'node_modules/mocha/bin/mocha.js', '--reporter', './test/mocha/file-reporter.ts']
/** Servers and modules that tests start in processes of their own need not be compiled each time. */
const COMPILE_CACHE = path.resolve('node_modules/.cache/compile')

/** The outcome of a part. */
export type PartOutcome = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly times: ReadonlyMap<string, FileTime>
  /** What a part that failed says of it. */
  readonly failures: readonly string[]
}

/**
 * Runs the part in a process of mocha, and prints its lines when it ends. One that ends without a summary, or badly after a
 * good one, has failed.
 */
export async function runPart({ files }: TestPart): Promise<PartOutcome> {
  const env = { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env }
  const child = spawn(process.execPath, [...MOCHA, ...files], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const output = new PartOutput()
  createInterface(child.stdout).on('line', (line) => output.take(line))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  for (const line of output.lines) console.log(line)
  return output.outcome(files, code, signal)
}

/** The lines of a process of mocha, with what the reporter of files says in them. */
export class PartOutput {
  readonly lines: string[] = []
  readonly #times = new Map<string, FileTime>()
  #summary: { readonly passed: number; readonly failed: number; readonly skipped: number } | undefined

  take(line: string): void {
    const { passed, failed, skipped = 0 } = SUMMARY.exec(line)?.groups ?? {}
    if (passed !== undefined) {
      this.#summary = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) }
      return
    }
    if (line !== '') this.lines.push(line)
    const { file, seconds, cpuSeconds } = FILE.exec(line)?.groups ?? {}
    if (file !== undefined) this.#times.set(file, { seconds: Number(seconds), cpuSeconds: Number(cpuSeconds) })
  }

  outcome(files: readonly string[], code: number | null, signal: string | null): PartOutcome {
    const times = this.#times
    const { passed, failed, skipped } = this.#summary ?? { passed: 0, failed: 0, skipped: 0 }
    if (code === 0 && this.#summary !== undefined) return { passed, failed, skipped, times, failures: [] }
    const failures = this.lines.filter((line) => !FILE.test(line))
    if (this.#summary === undefined) {
      const left = files.filter((file) => !times.has(file)).join(', ')
      failures.push(`ended with ${signal ?? `code ${code}`}, and no summary; not done: ${left}`)
    }
    return { passed, failed: Math.max(1, failed), skipped, times, failures }
  }
}

const SUMMARY = /^(?<passed>\d+) passed, (?<failed>\d+) failed(?:, (?<skipped>\d+) skipped)?$/u
const FILE = /^(?<file>\S+\.test\.ts): \d+, (?<seconds>[\d.]+) s, (?<cpuSeconds>[\d.]+) s of processors$/u
