import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ProcessEnd } from 'sluice/sdk'
import type { OrphanGuard } from './orphan-guard.ts'
import { OutputLines } from './output-lines.ts'

/** The time between SIGTERM and SIGKILL. A generation waits for its tasks a little longer than this. */
const TERM_GRACE_MS = 700

type ChildGroupOptions = {
  /** The plugin's logger, with the purpose of the process. */
  readonly log: Logger
  readonly guard: OrphanGuard
}

/** A child process that leads its own process group, and the end of both. */
export class ChildGroup {
  /** Settles when the process has ended and its stderr was read; never rejects. */
  readonly done: Promise<ProcessEnd>
  readonly #child: ChildProcess
  readonly #pid: number
  readonly #options: ChildGroupOptions
  #stopping = false
  #killTimer: NodeJS.Timeout | undefined

  /** @param child a running process that was spawned `detached` */
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

  /** Sends SIGTERM to the group, and SIGKILL when it does not end in time. Idempotent. */
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
    // Processes that it has started and left behind end, too.
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
      // Windows has no process groups.
      if (process.platform === 'win32') this.#child.kill(signal)
      else process.kill(-this.#pid, signal)
    } catch (err) {
      const isGone = err instanceof Error && 'code' in err && err.code === 'ESRCH'
      if (!isGone) this.#options.log.warn({ err, signal }, 'the process could not be ended')
    }
  }
}

/** The environment of a program: the server's, without the variables of its config, which may be secrets. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SLUICE_')))
}
