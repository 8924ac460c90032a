import { Session } from 'node:inspector'
import { workerData } from 'node:worker_threads'
import type { LevelWithSilent } from 'pino'
import type { Terminal } from '../logger.ts'
import { BlockDetector, type Finding, type Sight } from './block-detector.ts'
import { BEAT_MS, Heartbeat } from './heartbeat.ts'
import { PROBE_NAME, type Look, type Probe } from './probe.ts'

/** What the thread is started with. */
export type WatchdogThreadInit = {
  /** Of the heartbeat. */
  readonly memory: SharedArrayBuffer
  readonly level: LevelWithSilent
  /** What stdout shows its lines on; undefined when that is no terminal. */
  readonly terminal: Terminal | undefined
}

/** Whose code blocks, and where it lies, as far as that is known. */
type Place = { readonly plugin?: string; readonly at?: string }

/** What a line of the stack has besides the place: the mark of a plugin's load, the scheme. */
const NOT_PLACE = /^ +at |\?load=\d+|file:\/\//g

/**
 * The side of the watchdog that looks at the event loop. It logs by itself: what the main thread logs would not appear. To
 * learn what runs there, it has the inspector evaluate a call of the probe, which the engine does also within an endless
 * loop.
 */
class WatchdogThread {
  readonly #options: WatchdogThreadInit
  readonly #heartbeat: Heartbeat
  readonly #detector: BlockDetector
  /** What was seen last. */
  #seen: Look | undefined
  /** The look that is under way. */
  #looking: Promise<void> | undefined

  constructor(init: WatchdogThreadInit) {
    this.#options = init
    this.#heartbeat = new Heartbeat(init.memory)
    this.#detector = new BlockDetector(BEAT_MS, this.#sight())
  }

  start(): void {
    setInterval(() => this.#tick(), BEAT_MS)
  }

  #sight(): Sight {
    const { count, cpuMs, isUp } = this.#heartbeat
    const usedMs = Math.max(cpuMs, this.#seen?.cpuMs ?? 0)
    return { nowMs: performance.now(), beats: count, cpuMs: usedMs, isStarting: !isUp }
  }

  #tick(): void {
    const finding = this.#detector.tick(this.#sight())
    switch (finding?.kind) {
      case undefined:
        return
      case 'long':
        this.#looking ??= this.#look()
        return
      case 'loading':
        void this.#tell('info', {}, `the server is still being loaded, for ${secondsOf(finding)} now`)
        ask('releaseSignals')
        return
      case 'stuck':
        void this.#tell(
          'error',
          this.#place(finding),
          `the event loop has been blocked for ${secondsOf(finding)} and serves nobody`,
        )
        ask('releaseSignals')
        return
      case 'over':
        void this.#tellOver(finding)
    }
  }

  /** On a busy machine, the answer to the last look may come when the turn is over. */
  async #tellOver(finding: Finding): Promise<void> {
    await this.#looking
    await this.#tell('warn', this.#place(finding), `the event loop was blocked for ${secondsOf(finding)}`)
  }

  async #tell(level: 'error' | 'warn' | 'info', place: Place, text: string): Promise<void> {
    // Only now: a logger takes as much memory as all the rest of a thread.
    const { createLogger, standardOutput } = await import('../logger.ts')
    const { level: wanted, terminal } = this.#options
    const log = createLogger({ level: wanted, destination: standardOutput(terminal) })
    log[level](place, text)
  }

  /** Looks at what runs. While that is a call of the system, it is seen when that returns. */
  async #look(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<Look | undefined>()
    ask('look', resolve)
    this.#seen = (await promise) ?? this.#seen
    this.#looking = undefined
  }

  /** Whose code the turn runs, and where it lies, as far as that was seen. */
  #place({ beat }: Finding): Place {
    if (this.#seen?.beat !== beat) return {}
    const { plugin, frames } = this.#seen
    const at = frames.find((frame) => frame.includes('file:'))?.replaceAll(NOT_PLACE, '')
    return { ...(plugin === undefined ? {} : { plugin }), ...(at === undefined ? {} : { at }) }
  }
}

function secondsOf({ turnMs }: Finding): string {
  return `${(turnMs / 1000).toFixed(1)} s`
}

/** Calls the probe; the answer is undefined where it could not be asked. */
function ask(call: keyof Probe, answered: (look: Look | undefined) => void = () => {}): void {
  const session = new Session()
  session.connectToMainThread()
  const expression = `globalThis[Symbol.for('${PROBE_NAME}')].${call}()`
  session.post('Runtime.evaluate', { expression, returnByValue: true }, (error, evaluation) => {
    session.disconnect()
    answered(error === null ? (evaluation.result.value as Look | undefined) : undefined)
  })
}

new WatchdogThread(workerData as WatchdogThreadInit).start()
