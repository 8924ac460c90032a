import { relative } from 'node:path'
import Mocha from 'mocha'
import { endRun } from './end-run.ts'

const { Base } = Mocha.reporters

/** A file that takes at least so long has its time beside it. */
const SLOW_SECONDS = 5

/**
 * A line for each file with the number of its tests, and one for each test that fails, at once; then as the reporter for
 * few files does. A run of everything is short enough to read so.
 */
export default class FileReporter extends Base {
  readonly #skipped: string[] = []
  #file: string | undefined
  #passed = 0
  #startMs = performance.now()

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    // A suite begins before its hooks, whose time belongs to its file.
    runner.on('suite', ({ file }) => this.#begin(file))
    runner.on('test', ({ file }) => this.#begin(file))
    runner.on('pass', () => this.#passed++)
    runner.on('fail', (test) => Base.consoleLog(Base.color('fail', '  failed: %s'), test.fullTitle()))
    runner.on('pending', (test) => this.#skipped.push(test.fullTitle()))
    runner.once('end', () => {
      this.#endFile()
      endRun(this, this.#skipped)
    })
  }

  #begin(file: string | undefined): void {
    if (file === undefined || file === this.#file) return
    this.#endFile()
    this.#file = file
  }

  #endFile(): void {
    const seconds = Math.round((performance.now() - this.#startMs) / 1000)
    const time = seconds < SLOW_SECONDS ? '' : `, ${seconds} s`
    if (this.#file !== undefined && this.#passed > 0)
      Base.consoleLog('%s: %d%s', relative('', this.#file), this.#passed, time)
    this.#passed = 0
    this.#startMs = performance.now()
  }
}
