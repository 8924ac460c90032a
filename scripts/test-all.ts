/**
 * Runs the tests in parts side by side: those of the given paths, or all.
 * The last line is `N passed, N failed`, of all parts together.
 *
 * - `--check` runs the checks first, when no paths are given
 * - `--soak` runs the tests that take long, too
 * - `--times` stores the times of the files, for the order of the next runs
 */
import { spawnSync } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { runParts } from './test/run-parts.ts'
import { slowestFiles } from './test/slowest-files.ts'
import { testParts } from './test/test-parts.ts'
import { TestTimes, writeTimes } from './test/test-times.ts'

const ALL = '{sdk,core,cli,plugins,examples,scripts,test}/**/*.test.ts'
/** The variable that `test/support/soak.ts` reads, and a longer time limit for tests with more rounds. */
const SOAK_ENV = { SOAK: 'true', MOCHA_OPTIONS: '--timeout 1800000' }
/** The tests that run in a soak only, or when their paths are given. */
const SCALE = /^test\/scale\//u

/** Returns the files of paths below this folder; a folder stands for its files, and a pattern for the files that it matches. */
function filesOf(patterns: readonly string[]): string[] {
  const files = patterns.flatMap((pattern) => {
    const isFolder = statSync(pattern, { throwIfNoEntry: false })?.isDirectory() === true
    const found = globSync(isFolder ? path.join(pattern, '**/*.test.ts') : pattern)
    if (found.length === 0) throw new Error(`there are no tests in ${pattern}`)
    return found.map((file) => path.relative('', file))
  })
  return [...new Set(files)].filter((file) => !file.includes('node_modules'))
}

/** Prints the summary, which is the last line. */
function end({ passed = 0, failed = 0, skipped = 0 }): void {
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  if (failed > 0) process.exitCode = 1
}

async function runTests(files: readonly string[], keepTimes: boolean): Promise<void> {
  const outcomes = await runParts(testParts(files, new TestTimes()))
  const times = new Map(outcomes.flatMap((outcome) => [...outcome.times]))
  if (keepTimes) writeTimes(times)
  console.log('\nthe slowest files:')
  for (const line of [...slowestFiles(times), '', ...outcomes.flatMap(({ failures }) => failures)]) console.log(line)
  const sumOf = (count: 'passed' | 'failed' | 'skipped') => outcomes.reduce((sum, outcome) => sum + outcome[count], 0)
  end({ passed: sumOf('passed'), failed: sumOf('failed'), skipped: sumOf('skipped') })
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean' }, soak: { type: 'boolean' }, times: { type: 'boolean' } },
})
const { check = false, soak = false, times = false } = values
if (soak) Object.assign(process.env, SOAK_ENV)
const isWhole = positionals.length === 0
if (check && isWhole && spawnSync('npm run check', { stdio: 'inherit', shell: true }).status !== 0) end({ failed: 1 })
else {
  const files = filesOf(isWhole ? [ALL] : positionals)
  await runTests(isWhole && !soak ? files.filter((file) => !SCALE.test(file)) : files, times && isWhole)
}
