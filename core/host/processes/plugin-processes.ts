import path from 'node:path'
import type { Logger } from 'pino'
import type {
  ModuleInit,
  ModuleProcess,
  Processes,
  ProcessEnd,
  Program,
  ProgramInit,
  Task,
  TaskRegistry,
} from 'sluice/sdk'
import { guard } from '../../base/guard.ts'
import { moduleToRun } from '../../build/running-build.ts'
import { callPlugin } from '../error-owner.ts'
import { ChildGroup } from './child-group.ts'
import { startFork, startThread, threadEnd } from './module-process.ts'
import { OrphanGuard } from './orphan-guard.ts'
import { usageOf } from './process-usage.ts'
import { startProgram } from './program.ts'

/** The guard of all processes of the server, of any plugin. */
const orphans = new OrphanGuard()

type PluginProcessesOptions = {
  readonly plugin: string
  readonly log: Logger
  readonly tasks: TaskRegistry
  /** @throws {PluginError} when the generation is disposed */
  readonly assertLoaded: () => void
}

/** A running program, thread or fork, for its task. */
type Running = {
  readonly done: Promise<ProcessEnd>
  readonly stop: () => void
  readonly describe: () => Readonly<Record<string, string>>
}

/** The programs, threads and forks of one generation, each with a task. */
export class PluginProcesses implements Processes {
  readonly #options: PluginProcessesOptions

  constructor(options: PluginProcessesOptions) {
    this.#options = options
  }

  async spawn(init: ProgramInit): Promise<Program> {
    const { command, owner, signal } = init
    const { assertLoaded } = this.#options
    assertLoaded()
    signal?.throwIfAborted()
    const { child, pid, outputs } = await startProgram(init)
    const program = path.basename(command)
    const group = new ChildGroup(child, pid, { log: this.#logFor({ program, pid, owner }), guard: orphans })
    try {
      assertLoaded()
      this.#track(init, processOf({ kind: 'program', program, pid: String(pid) }, pid, group))
    } catch (error) {
      group.stop()
      throw error
    }
    const { stdin, stdout } = child
    return { stdin, stdout, outputs, done: group.done }
  }

  thread(init: ModuleInit): ModuleProcess {
    const { module, data, owner } = init
    this.#options.assertLoaded()
    const log = this.#logFor({ thread: nameOf(module), owner })
    const thread = startThread({ url: moduleToRun(module).href, data })
    thread.on('error', (err) => log.error({ err }, 'the thread has failed'))
    thread.on('messageerror', (err) => log.error({ err }, 'a message can not be read'))
    const done = threadEnd(thread)
    const describe = () => ({ kind: 'thread', module: nameOf(module) })
    this.#track(init, { done, stop: () => void thread.terminate(), describe })
    return {
      done,
      send: (message, transfer = []) => thread.postMessage(message, [...transfer]),
      onMessage: (listener) => void thread.on('message', (message: unknown) => this.#deliver(listener, message)),
    }
  }

  fork(init: ModuleInit): ModuleProcess {
    const { module, data, owner } = init
    this.#options.assertLoaded()
    const child = startFork({ url: moduleToRun(module).href, data })
    if (child.pid === undefined) throw new Error('no process could be started')
    const { pid } = child
    const group = new ChildGroup(child, pid, {
      log: this.#logFor({ fork: nameOf(module), pid, owner }),
      guard: orphans,
    })
    this.#track(init, processOf({ kind: 'fork', module: nameOf(module), pid: String(pid) }, pid, group))
    return {
      done: group.done,
      // Messages to a process that has ended are dropped; `done` has settled.
      send: (message) => {
        if (child.connected) child.send(message as object, () => {})
      },
      onMessage: (listener) => void child.on('message', (message) => this.#deliver(listener, message)),
    }
  }

  #logFor(fields: Readonly<Record<string, string | number>>): Logger {
    return this.#options.log.child(fields)
  }

  #track({ owner, signal }: Pick<ProgramInit, 'owner' | 'signal'>, { done, stop, describe }: Running): Task {
    return this.#options.tasks.start({
      owner,
      description: describe,
      async run(ending) {
        const either = signal === undefined ? ending : AbortSignal.any([ending, signal])
        either.addEventListener('abort', stop, { once: true })
        if (either.aborted) stop()
        try {
          await done
        } finally {
          // A composed signal stays in memory as long as it has a listener.
          either.removeEventListener('abort', stop)
        }
      },
    })
  }

  #deliver(listener: (message: unknown) => void, message: unknown): void {
    const { plugin, log } = this.#options
    guard(log, 'message listener', () => callPlugin(plugin, () => listener(message)))
  }
}

function processOf(description: Readonly<Record<string, string>>, pid: number, group: ChildGroup): Running {
  const describe = () => {
    const { cpuMs, memoryBytes } = usageOf(pid) ?? {}
    return { ...description, ...(cpuMs !== undefined && { cpuMs: String(cpuMs), memoryBytes: String(memoryBytes) }) }
  }
  return { done: group.done, stop: () => group.stop(), describe }
}

function nameOf(module: URL): string {
  return path.posix.basename(module.pathname)
}
