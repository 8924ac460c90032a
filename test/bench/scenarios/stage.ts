import { setTimeout as delay } from 'node:timers/promises'
import type { Target } from '../load/player.ts'
import { startPublishers, startViewers, type PublishersProcess, type ViewersProcess } from '../load/load-process.ts'
import type { ViewersReady } from '../load/viewers.ts'
import type { BenchServer, Purpose, RunningServer } from '../servers/bench-server.ts'
import type { Usage } from '../servers/process-usage.ts'
import { monotonicUs, type Span } from '../statistics.ts'

/** The stream that viewers watch. */
export const STREAM = 'live/bench'
/** Joining viewers a second, where joining is not what is measured. */
const JOINS_PER_SECOND = 200
const SETTLE_MS = 3000

type Closeable = { close(): Promise<void> }

/** What the server used of the CPU in a window of time. */
export type ServerWindow = {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly rssBytes: number
  readonly span: Span
}

/** One started server with the load on it; all of it ends with {@link onStage}. */
export class Stage {
  readonly server: RunningServer
  readonly #sourceFile: string
  readonly #loads: Closeable[]
  #viewers = 0

  constructor(server: RunningServer, sourceFile: string, loads: Closeable[]) {
    this.server = server
    this.#sourceFile = sourceFile
    this.#loads = loads
  }

  /** Starts publishers, and waits until their streams are well under way. */
  async publish(paths: readonly string[]): Promise<PublishersProcess> {
    const init = { port: this.server.rtmpPort, paths, file: this.#sourceFile }
    const publishers = this.#keep(startPublishers(init))
    const { failures } = await publishers.ready
    if (failures.length > 0) throw new Error(`${failures.length} publishers failed: ${failures[0]}`)
    for (const path of paths) await this.server.playable?.(path)
    await settle()
    return publishers
  }

  /** Starts viewers without waiting for them. */
  play(target: Target, count: number, readsAll: boolean, perSecond = JOINS_PER_SECOND): ViewersProcess {
    const port = target.port + (target.isPortOfViewer === true ? this.#viewers : 0)
    this.#viewers += count
    return this.#keep(startViewers({ target: { ...target, port }, count, perSecond, readsAll }))
  }

  /** What the server uses from now on until the function given back is called. */
  async watch(): Promise<() => Promise<ServerWindow>> {
    const startUs = monotonicUs()
    const before = await this.usage()
    return async () => {
      const after = await this.usage()
      const endUs = monotonicUs()
      return {
        seconds: (endUs - startUs) / 1e6,
        cpuSeconds: after.cpuSeconds - before.cpuSeconds,
        rssBytes: after.rssBytes,
        span: { startUs, endUs },
      }
    }
  }

  usage(): Promise<Usage> {
    return this.server.usage()
  }

  #keep<Load extends Closeable>(load: Load): Load {
    this.#loads.push(load)
    return load
  }
}

/** Runs something with a freshly started server. */
export async function onStage<Result>(
  server: BenchServer,
  purpose: Purpose,
  sourceFile: string,
  run: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const loads: Closeable[] = []
  const running = await server.start(purpose)
  try {
    return await run(new Stage(running, sourceFile, loads))
  } finally {
    await Promise.all(loads.map((load) => load.close()))
    await running.stop()
  }
}

/** Waits for what has begun to become steady. */
export async function settle(): Promise<void> {
  await delay(SETTLE_MS)
}

/** @throws {Error} when not all have joined */
export async function allJoined(viewers: readonly ViewersProcess[]): Promise<void> {
  const ready: ViewersReady[] = await Promise.all(viewers.map((process) => process.ready))
  const failures = ready.flatMap((each) => each.failures)
  if (failures.length > 0) throw new Error(`${failures.length} viewers failed: ${failures[0]}`)
}
