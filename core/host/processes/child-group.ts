import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ProcessEnd } from 'sluice/sdk'
import type { OrphanGuard } from './orphan-guard.ts'
import { OutputLines } from './output-lines.ts'

/** How long a program has to end by itself. Within this, and a little, its generation waits for its tasks. */
const TERM_GRACE_MS = 700

type ChildGroupOptions = {
  /** Of the plugin, with what the process is for. */
  readonly log: Logger
  readonly guard: OrphanGuard
}

/** A child process that leads a process group of its own, and the end of both. */
export class ChildGroup {
  /** Settles when the process has ended and what it said of that was read; never rejects. */
  readonly done: Promise<ProcessEnd>
  readonly #child: ChildProcess
  readonly #pid: number
  readonly #options: ChildGroupOptions
  #stopping = false
  #killTimer: NodeJS.Timeout | undefined

  /** @param child was spawned `detached`, and has begun */
  constructor(child: ChildProcess, pid: number, options: ChildGroupOptions) {
    this.#child = child
    this.#pid = pid
    this.#options = options
    options.guard.add(pid)
    const { stdin, stdout, stderr } = child
    const errors = stderr === null ? undefined : new OutputLines(stderr, (line) => options.log.debug(line))
    stdin?.on('error', () => {})
    stdout?.on('error', () => {})
    child.on('error', (err) => options.log.warn({ err }, 'the process could not be reached'))
    this.done = this.#ended(errors)
  }

  /** Asks the group to end, and makes it end when it takes too long. Idempotent. */
  stop(): void {
    if (this.#stopping || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#stopping = true
    this.#signal('SIGTERM')
    this.#killTimer = setTimeout(() => this.#signal('SIGKILL'), TERM_GRACE_MS)
  }

  async #ended(errors: OutputLines | undefined): Promise<ProcessEnd> {
    const { log, guard } = this.#options
    const end = await new Promise<ProcessEnd>((resolve) => {
      this.#child.once('exit', (code, signal) => resolve({ code, signal }))
    })
    clearTimeout(this.#killTimer)
    // What it has started itself, and left behind.
    this.#signal('SIGKILL')
    guard.delete(this.#pid)
    await Promise.race([errors?.ended, delay(TERM_GRACE_MS, undefined, { ref: false })])
    if (end.code !== 0 && !this.#stopping) {
      const { last: output = [], leftOut = 0 } = errors ?? {}
      log.warn({ ...end, output, leftOut: leftOut || undefined }, 'the process has failed')
    }
    return end
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      // Windows has no groups.
      if (process.platform === 'win32') this.#child.kill(signal)
      else process.kill(-this.#pid, signal)
    } catch (err) {
      const isGone = err instanceof Error && 'code' in err && err.code === 'ESRCH'
      if (!isGone) this.#options.log.warn({ err, signal }, 'the process could not be ended')
    }
  }
}

/** The environment of a program: the server's, without the variables that set its config, which may be secrets. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SLUICE_')))
}
