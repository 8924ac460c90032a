import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { ProgramMissing } from '../errors/program-missing.ts'
import type { ModuleInit, ModuleProcess, Processes, Program, ProgramInit } from '../plugin/processes.ts'

/** Programs that really run, and that a test can look at. Threads and forks need a host: see `createTestServer`. */
export class FakeProcesses implements Processes {
  /** All programs that were asked for, in order. */
  readonly programs: ProgramInit[] = []
  readonly #running = new Set<{ kill(): void; readonly done: Promise<unknown> }>()

  async spawn(init: ProgramInit): Promise<Program> {
    this.programs.push(init)
    const { command, args, signal, outputs = 0 } = init
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'pipe', ...Array<'pipe'>(outputs).fill('pipe')],
    })
    try {
      await once(child, 'spawn')
    } catch (cause) {
      throw new ProgramMissing(command, { cause })
    }
    const { stdin, stdout } = child
    stdin.on('error', () => {})
    child.stderr.resume()
    const done = once(child, 'exit').then(() => ({ code: child.exitCode, signal: child.signalCode }))
    const running = { kill: () => void child.kill('SIGKILL'), done }
    this.#running.add(running)
    void done.then(() => this.#running.delete(running))
    signal?.addEventListener('abort', running.kill)
    if (signal?.aborted) running.kill()
    return { stdin, stdout, outputs: child.stdio.slice(3).filter((stream) => stream instanceof Readable), done }
  }

  thread({ module }: ModuleInit): ModuleProcess {
    return unsupported(module)
  }

  fork({ module }: ModuleInit): ModuleProcess {
    return unsupported(module)
  }

  /** Ends all. */
  async dispose(): Promise<void> {
    const running = [...this.#running]
    for (const program of running) program.kill()
    await Promise.all(running.map(({ done }) => done))
  }
}

function unsupported(module: URL): never {
  throw new Error(`a fake host does not run ${module.pathname}: test it with createTestServer of sluice/testing`)
}
