import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { FileTime } from './test-times.ts'
import type { TestPart } from './test-parts.ts'

const MOCHA = ['--conditions=source', 'node_modules/mocha/bin/mocha.js', '--reporter', './test/mocha/file-reporter.ts']
/** The compile cache for servers and modules that tests start in processes of their own. */
const COMPILE_CACHE = path.resolve('node_modules/.cache/compile')

/** The outcome of a part. */
export type PartOutcome = {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly times: ReadonlyMap<string, FileTime>
  /** The output lines of a part that failed. */
  readonly failures: readonly string[]
}

/**
 * Runs the part in a process of mocha, and prints its lines when it ends. A part has failed when it ends without a summary, or
 * ends with an error after a good one.
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

/** The output lines of a process of mocha, with the times of files that the reporter writes in them. */
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
