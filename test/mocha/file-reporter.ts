import { relative } from 'node:path'
import Mocha from 'mocha'
import { cpuSeconds } from './cpu-time.ts'
import { endRun } from './end-run.ts'

const { Base } = Mocha.reporters

/**
 * A line for each file with the number of its tests and what they took, and one for each test that fails, at once; then as the
 * reporter for few files does. A run of everything is short enough to read so, and `scripts/test` reads these lines.
 */
export default class FileReporter extends Base {
  readonly #skipped: string[] = []
  #file: string | undefined
  #passed = 0
  #hasRun = false
  #startMs = performance.now()
  #startCpuSeconds = cpuSeconds()

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options)
    // A suite begins before its hooks, whose time belongs to its file.
    runner.on('suite', ({ file }) => this.#begin(file))
    runner.on('test', ({ file }) => this.#begin(file))
    runner.on('pass', () => {
      this.#passed++
      this.#hasRun = true
    })
    runner.on('fail', (test) => {
      this.#hasRun = true
      Base.consoleLog(Base.color('fail', '  failed: %s'), test.fullTitle())
    })
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
    const seconds = (performance.now() - this.#startMs) / 1000
    const usedSeconds = cpuSeconds() - this.#startCpuSeconds
    if (this.#file !== undefined && this.#hasRun) {
      const times = `${seconds.toFixed(1)} s, ${usedSeconds.toFixed(1)} s of processors`
      Base.consoleLog('%s: %d, %s', relative('', this.#file), this.#passed, times)
    }
    this.#passed = 0
    this.#hasRun = false
    this.#startMs = performance.now()
    this.#startCpuSeconds = cpuSeconds()
  }
}
