import { fork, type ChildProcess } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import type { ProcessEnd } from 'sluice/sdk'
import { moduleToRun } from '../../build/running-build.ts'
import { childEnvironment } from './child-group.ts'

/** The module to run, and its data. */
type ModuleStart = { readonly url: string; readonly data: unknown }

/** Starts a module in a thread. */
export function startThread(start: ModuleStart): Worker {
  return new Worker(mainOf('thread'), { workerData: start })
}

/** Resolves with the end of a thread; never rejects. */
export function threadEnd(thread: Worker): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    thread.once('exit', (code) => resolve({ code, signal: null }))
  })
}

/** Starts a module in a separate process group. */
export function startFork(start: ModuleStart): ChildProcess {
  const child = fork(mainOf('fork'), {
    detached: true,
    env: childEnvironment(),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  child.send(start, () => {})
  return child
}

function mainOf(kind: 'thread' | 'fork'): URL {
  return moduleToRun(new URL(`${kind}-main.ts`, import.meta.url))
}
