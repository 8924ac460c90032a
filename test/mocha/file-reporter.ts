import { relative } from 'node:path'
import Mocha from 'mocha'
import { endRun } from './end-run.ts'

const { Base } = Mocha.reporters

/**
 * A line for each file with the number of its tests, and one for each test that fails, at once; then as the reporter for
 * few files does. A run of everything is short enough to read so.
 */
export default class FileReporter extends Base {
  readonly #skipped: string[] = []
  #file: string | undefined
  #passed = 0

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    runner.on('pass', (test) => this.#count(test))
    runner.on('fail', (test) => Base.consoleLog(Base.color('fail', '  failed: %s'), test.fullTitle()))
    runner.on('pending', (test) => this.#skipped.push(test.fullTitle()))
    runner.once('end', () => {
      this.#endFile()
      endRun(this, this.#skipped)
    })
  }

  #count({ file }: Mocha.Test): void {
    if (file !== this.#file) this.#endFile()
    this.#file = file
    this.#passed++
  }

  #endFile(): void {
    if (this.#file !== undefined) Base.consoleLog('%s: %d', relative('', this.#file), this.#passed)
    this.#passed = 0
  }
}
