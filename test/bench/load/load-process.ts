import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { CpuReport, LoadCommand } from './load.ts'
import type { LoadInit } from './main.ts'
import type { PublishersInit, PublishersReady, PublishersReport } from './publishers.ts'
import type { ViewersInit, ViewersReady, ViewersReport } from './viewers.ts'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

/** Load in a process of its own, so that it shares no core with the server and none with other load, where there are enough. */
export class LoadProcess<Ready, Report> {
  /** All its connections are up, or have failed. */
  readonly ready: Promise<Ready>
  readonly #child: ChildProcess

  constructor(init: LoadInit) {
    this.#child = fork(MAIN, { execArgv: ['--conditions=source'] })
    this.ready = this.#answer<Ready>()
    this.#child.send(init)
  }

  async begin(): Promise<void> {
    await this.#tell('begin')
  }

  end(): Promise<Report & CpuReport> {
    return this.#tell('end')
  }

  async stall(): Promise<void> {
    await this.#tell('stall')
  }

  async resume(): Promise<void> {
    await this.#tell('resume')
  }

  async close(): Promise<void> {
    if (!this.#child.connected) return
    this.#child.disconnect()
    await once(this.#child, 'exit')
  }

  #tell(command: LoadCommand): Promise<Report & CpuReport> {
    const answer = this.#answer<Report & CpuReport>()
    this.#child.send(command)
    return answer
  }

  async #answer<Answer>(): Promise<Answer> {
    const ended = new AbortController()
    try {
      const exit = once(this.#child, 'exit', { signal: ended.signal }).then(() => {
        throw new Error('a load process has ended')
      })
      const [answer] = await Promise.race([once(this.#child, 'message', { signal: ended.signal }), exit])
      return answer as Answer
    } finally {
      ended.abort()
    }
  }
}

export type ViewersProcess = LoadProcess<ViewersReady, ViewersReport>
export type PublishersProcess = LoadProcess<PublishersReady, PublishersReport>

export function startViewers(init: ViewersInit): ViewersProcess {
  return new LoadProcess({ role: 'viewers', init })
}

export function startPublishers(init: PublishersInit): PublishersProcess {
  return new LoadProcess({ role: 'publishers', init })
}
