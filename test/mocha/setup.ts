import { afterAllTests, afterEachTest, afterFile, beforeEachTest } from '../peers/lifetime.ts'
import { isSummaryPrinted, printSummary } from './summary.ts'

/** Root hooks: what a test started through `test/peers` ends with it, what a `before` started with the outermost `describe`. */
export const mochaHooks = {
  beforeAll(this: Mocha.Context) {
    // All files are loaded, so this comes after their own hooks.
    for (const suite of this.test?.parent?.suites ?? []) suite.afterAll(afterFile)
  },
  beforeEach: beforeEachTest,
  afterEach: afterEachTest,
  afterAll: afterAllTests,
}

// A file that can't be loaded ends mocha before it has a reporter.
process.on('exit', (code) => {
  if (code !== 0 && !isSummaryPrinted()) printSummary({ passed: 0, failed: 1, skipped: 0 })
})
