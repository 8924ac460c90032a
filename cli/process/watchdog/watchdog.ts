import { Worker } from 'node:worker_threads'
import type { LevelWithSilent, Logger } from 'pino'
import { stackFrames } from '../../../core/base/mistake.ts'
import { moduleToRun } from '../../../core/build/running-build.ts'
import { stdoutTerminal } from '../../../core/observe/logger.ts'
import { BEAT_MS, Heartbeat, threadCpuMs } from './heartbeat.ts'
import { PROBE_NAME, type Look, type Probe } from './probe.ts'
import type { WatchdogThreadInit } from './watchdog-thread.ts'

/** Signals that end the server. It can't handle them while its event loop is blocked. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** The most calls of the blocking code's stack that are recorded, the last first. */
const MAX_FRAMES = 30
/** The limits of the thread, as the engine's defaults are for whole programs. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 }

type WatchdogOptions = {
  readonly log: Logger
  /** Returns the plugin whose code is in the stack of an error, or that has started the running work. */
  readonly pluginOf: (error: Error) => string | undefined
}

/**
 * Watches the event loop from a separate thread, and logs turns that block it for seconds, with the plugin and its code: at
 * the end of the turn and, if it may never end, while it lasts. Until the server is up, such a turn counts as loading, and
 * no plugin is named. While a turn lasts, Ctrl-C and SIGTERM end the process at once, as no handler of them would run.
 */
export class Watchdog {
  readonly #options: WatchdogOptions
  readonly #heartbeat = new Heartbeat()
  #timer: NodeJS.Timeout | undefined
  /** Functions that add the listeners of signals again. */
  #restorers: (() => void)[] = []

  constructor(options: WatchdogOptions) {
    this.#options = options
  }

  /** Begins to watch, until the end of the process. */
  start(): void {
    this.#heartbeat.beat()
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref()
    const probe: Probe = { look: () => this.#look(), releaseSignals: () => this.#releaseSignals() }
    Object.assign(globalThis, { [Symbol.for(PROBE_NAME)]: probe })
    this.#startThread()
  }

  /** Marks the server as up: a blocked turn does not count as loading any more. */
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
    // The first calls of the stack are these, and that of the watchdog's thread.
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
