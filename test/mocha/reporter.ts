import Mocha from 'mocha'
import { endRun } from './end-run.ts'

const { Spec } = Mocha.reporters

/** Mocha's spec report; then the skipped tests, the failures in full, and the summary as the very last line. */
export default class SummaryReporter extends Spec {
  readonly #skipped: string[] = []

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    runner.on('pending', (test) => this.#skipped.push(test.fullTitle()))
  }

  override epilogue(): void {
    endRun(this, this.#skipped)
  }
}
