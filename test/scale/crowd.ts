import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { keep } from '../peers/lifetime.ts'
import type { Ports } from '../robustness/support/server-process.ts'

export type CrowdSize = { readonly ports: Ports; readonly publisherCount: number; readonly viewerCount: number }

export type CrowdReport = {
  readonly publishers: number
  readonly viewers: number
  /** Connections that the server ended. */
  readonly closed: number
  /** What viewers got out of order, or did not get. */
  readonly gaps: readonly string[]
  /** Frames of the viewer that got the fewest. */
  readonly leastFrames: number
}

export type CrowdQuestion = { readonly id: number } & (
  | { readonly ask: 'join'; readonly size: CrowdSize }
  | { readonly ask: 'leave' | 'report' }
)
export type CrowdAnswer =
  | { readonly id: number; readonly report: CrowdReport }
  | { readonly id: number; readonly error: string }

const PROCESS = fileURLToPath(new URL('crowd-process.ts', import.meta.url))

/** Many publishers and viewers, in a process of their own. */
export class Crowd {
  readonly #child: ChildProcess = fork(PROCESS, { execArgv: ['--conditions=source'] })
  readonly #answers = new Map<number, (answer: CrowdAnswer) => void>()
  readonly #letGo: () => void
  #nextId = 0

  constructor() {
    this.#child.on('message', (answer: CrowdAnswer) => this.#answers.get(answer.id)?.(answer))
    this.#letGo = keep({ close: () => this.close() })
  }

  /** Opens connections; resolves when all of them publish or play. */
  join(size: CrowdSize): Promise<CrowdReport> {
    return this.#ask({ id: this.#nextId++, ask: 'join', size })
  }

  report(): Promise<CrowdReport> {
    return this.#ask({ id: this.#nextId++, ask: 'report' })
  }

  leave(): Promise<CrowdReport> {
    return this.#ask({ id: this.#nextId++, ask: 'leave' })
  }

  async close(): Promise<void> {
    this.#letGo()
    if (this.#child.exitCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill()
    await exited
  }

  async #ask(question: CrowdQuestion): Promise<CrowdReport> {
    const { promise, resolve } = Promise.withResolvers<CrowdAnswer>()
    this.#answers.set(question.id, resolve)
    this.#child.send(question)
    const answer = await promise
    this.#answers.delete(question.id)
    if ('error' in answer) throw new Error(`the crowd failed: ${answer.error}`)
    return answer.report
  }
}
