import { afterEachTest, beforeEachTest, afterAllTests } from '../peers/lifetime.ts'
import { isSummaryPrinted, printSummary } from './summary.ts'

/** Root hooks: what a test started through `test/peers` ends with it, what a `before` started with the run. */
export const mochaHooks = {
  beforeEach: beforeEachTest,
  afterEach: afterEachTest,
  afterAll: afterAllTests,
}

// A file that can't be loaded ends mocha before it has a reporter.
process.on('exit', (code) => {
  if (code !== 0 && !isSummaryPrinted()) printSummary({ passed: 0, failed: 1, skipped: 0 })
})
