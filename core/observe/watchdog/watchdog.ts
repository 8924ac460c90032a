import { Worker } from 'node:worker_threads'
import type { LevelWithSilent, Logger } from 'pino'
import { stackFrames } from '../../base/mistake.ts'
import { moduleToRun } from '../../build/running-build.ts'
import { stdoutTerminal } from '../logger.ts'
import { BEAT_MS, Heartbeat, threadCpuMs } from './heartbeat.ts'
import { PROBE_NAME, type Look, type Probe } from './probe.ts'
import type { WatchdogThreadInit } from './watchdog-thread.ts'

/** Signals that end the server, which it can't answer while its event loop is blocked. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** How many calls of the code that blocks are looked at, the last first. */
const MAX_FRAMES = 30
/** The engine's own limits are for whole programs. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 }

type WatchdogOptions = {
  readonly log: Logger
  /** The plugin whose code shows in the stack of an error, or that has begun what runs. */
  readonly pluginOf: (error: Error) => string | undefined
}

/**
 * Watches the event loop from a thread of its own, and logs turns that hold it up for seconds, with the plugin and the code
 * that does so: when such a turn is over and, if it may never end, while it lasts. Until the server is up, it is loading that takes long,
 * and no plugin is named for it. Ctrl-C and SIGTERM then end the process
 * at once, as no handler of them would run.
 */
export class Watchdog {
  readonly #options: WatchdogOptions
  readonly #heartbeat = new Heartbeat()
  #timer: NodeJS.Timeout | undefined
  /** Give signals back to those who listened to them. */
  #restorers: (() => void)[] = []

  constructor(options: WatchdogOptions) {
    this.#options = options
  }

  /** Begins to watch, to the end of the process. */
  start(): void {
    this.#heartbeat.beat()
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref()
    const probe: Probe = { look: () => this.#look(), releaseSignals: () => this.#releaseSignals() }
    Object.assign(globalThis, { [Symbol.for(PROBE_NAME)]: probe })
    this.#startThread()
  }

  /** The server is up: what holds up the event loop from now on is no loading. */
  serverIsUp(): void {
    this.#heartbeat.up()
  }

  #startThread(): void {
    const { log } = this.#options
    const { memory } = this.#heartbeat
    const level = log.level as LevelWithSilent
    const workerData: WatchdogThreadInit = { memory, level, terminal: stdoutTerminal() }
    const file = moduleToRun(new URL('watchdog-thread.ts', import.meta.url))
    const thread = new Worker(file, { workerData, resourceLimits: THREAD_LIMITS })
    thread.unref()
    thread.on('error', (err) => {
      clearInterval(this.#timer)
      log.warn({ err }, 'the watchdog has failed: a blocked event loop will not be noticed')
    })
  }

  #beat(): void {
    this.#heartbeat.beat()
    for (const restore of this.#restorers.splice(0)) restore()
  }

  #look(): Look {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = MAX_FRAMES
    const error = new Error('the event loop is blocked')
    Error.stackTraceLimit = stackTraceLimit
    const frames = stackFrames(error)
    // Above the code that is looked for lie these calls, and that of the watchdog's thread.
    const own = frames.findLastIndex((frame) => frame.includes(import.meta.url)) + 2
    const plugin = this.#options.pluginOf(error)
    return { beat: this.#heartbeat.count, plugin, frames: frames.slice(own), cpuMs: threadCpuMs() }
  }

  #releaseSignals(): void {
    for (const signal of STOP_SIGNALS) {
      const listeners = process.listeners(signal)
      process.removeAllListeners(signal)
      this.#restorers.push(...listeners.map((listener) => () => void process.on(signal, listener)))
    }
  }
}
