/**
 * Runs all tests, in two processes at once: most of the time of those with browsers and pulls is real time that passes.
 * The last line is `N passed, N failed`, of both together.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const MOCHA = ['--conditions=source', 'node_modules/mocha/bin/mocha.js', '--reporter', './test/mocha/file-reporter.ts']
const GROUPS = [
  ['{sdk,core,plugins,examples,scripts}/**/*.test.ts', 'test/!(e2e|integration)/**/*.test.ts', 'test/*.test.ts'],
  ['test/{e2e,integration}/**/*.test.ts'],
]
const SUMMARY = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/u

type Outcome = { readonly passed: number; readonly failed: number; readonly skipped: number }

/** One process of mocha. Its lines go to `print`; a run that ends without a summary, or badly after one, has failed. */
async function run(files: readonly string[], print: (line: string) => void): Promise<Outcome> {
  const child = spawn(process.execPath, [...MOCHA, ...files], { stdio: ['ignore', 'pipe', 'inherit'] })
  let outcome: Outcome | undefined
  createInterface(child.stdout).on('line', (line) => {
    const [, passed, failed, skipped = 0] = SUMMARY.exec(line) ?? []
    if (passed !== undefined) outcome = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) }
    else print(line)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  const { passed = 0, failed = 0, skipped = 0 } = outcome ?? {}
  return { passed, failed: code === 0 ? failed : Math.max(1, failed), skipped }
}

const [first = [], second = []] = GROUPS
const later: string[] = []
const outcomes = await Promise.all([run(first, console.log), run(second, (line) => later.push(line))])
for (const line of later) console.log(line)
const sum = (what: keyof Outcome) => outcomes.reduce((total, outcome) => total + outcome[what], 0)
const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : ''
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed${skipped}`)
if (sum('failed') > 0) process.exitCode = 1
