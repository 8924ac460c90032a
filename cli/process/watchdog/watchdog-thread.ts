import { Session } from 'node:inspector'
import { workerData } from 'node:worker_threads'
import type { LevelWithSilent } from 'pino'
import type { Terminal } from '../../../core/observe/logger.ts'
import { BlockDetector, type Finding, type Sight } from './block-detector.ts'
import { BEAT_MS, Heartbeat } from './heartbeat.ts'
import { PROBE_NAME, type Look, type Probe } from './probe.ts'

/** The options of the thread. */
export type WatchdogThreadInit = {
  /** The memory of the heartbeat. */
  readonly memory: SharedArrayBuffer
  readonly level: LevelWithSilent
  /** The terminal of stdout; undefined when stdout is none. */
  readonly terminal: Terminal | undefined
}

/** The plugin and the source line that block, as far as they are known. */
type Place = { readonly plugin?: string; readonly at?: string }

/** The parts of a stack line besides the source line: the mark of a plugin's load, the scheme. */
const NOT_PLACE = /^ +at |\?load=\d+|file:\/\//g

/**
 * The part of the watchdog that checks the event loop. It logs by itself, as lines of the main thread would not appear. To
 * find the code that runs there, it has the inspector evaluate a call of the probe, which the engine does even within an
 * endless loop.
 */
class WatchdogThread {
  readonly #options: WatchdogThreadInit
  readonly #heartbeat: Heartbeat
  readonly #detector: BlockDetector
  /** The code that was recorded last. */
  #seen: Look | undefined
  /** The recording that is under way. */
  #recording: Promise<void> | undefined

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
        this.#recording ??= this.#record()
        return
      case 'loading':
        void this.#log('info', {}, `the server is still being loaded, for ${secondsOf(finding)} now`)
        ask('releaseSignals')
        return
      case 'stuck':
        void this.#log(
          'error',
          this.#place(finding),
          `the event loop has been blocked for ${secondsOf(finding)} and serves nobody`,
        )
        ask('releaseSignals')
        return
      case 'over':
        void this.#logOver(finding)
    }
  }

  /** Logs the end of a blocked turn. On a busy machine, the answer of the last recording may come after the turn. */
  async #logOver(finding: Finding): Promise<void> {
    await this.#recording
    await this.#log('warn', this.#place(finding), `the event loop was blocked for ${secondsOf(finding)}`)
  }

  async #log(level: 'error' | 'warn' | 'info', place: Place, text: string): Promise<void> {
    // The logger is loaded when it is first needed, as it takes as much memory as the rest of the thread.
    const { createLogger, standardOutput } = await import('../../../core/observe/logger.ts')
    const { level: wanted, terminal } = this.#options
    const log = createLogger({ level: wanted, destination: standardOutput(terminal) })
    log[level](place, text)
  }

  /** Records the code that runs. During a system call, the answer comes when that returns. */
  async #record(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<Look | undefined>()
    ask('look', resolve)
    this.#seen = (await promise) ?? this.#seen
    this.#recording = undefined
  }

  /** The plugin and the source line that the turn runs, as far as they were recorded. */
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

/** Calls the probe; the answer is undefined when the call failed. */
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
