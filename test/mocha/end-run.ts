import Mocha from 'mocha'
import { printSummary } from './summary.ts'

const { Base } = Mocha.reporters

/** How long after the last test the process may take to end by itself. */
const END_TIMEOUT_MS = 15_000

/** Writes the skipped tests, the failures in full, and the summary as the very last line. */
export function endRun({ stats, failures }: Mocha.reporters.Base, skipped: readonly string[]): void {
  const outcome = { passed: stats.passes, failed: stats.failures, skipped: skipped.length }
  for (const title of skipped) Base.consoleLog(Base.color('pending', '  skipped: %s'), title)
  if (failures.length > 0) Base.list(failures)
  Base.consoleLog()
  printSummary(outcome)
  // Open sockets or timers would keep the process alive for ever: that is a leak, and so a failure.
  setTimeout(() => {
    Base.consoleLog('\nstill open after the last test: %s', process.getActiveResourcesInfo().join(', '))
    printSummary({ ...outcome, failed: outcome.failed + 1 })
    // Mocha sets the exit code in an exit listener of its own, which came first.
    process.on('exit', () => (process.exitCode = 1))
    process.exit()
  }, END_TIMEOUT_MS).unref()
}
