/** The name, for `Symbol.for`, under which the watchdog's thread finds the probe among the globals of the main thread. */
export const PROBE_NAME = 'sluice.watchdog'

/** The calls of the watchdog's thread to the main thread, which are answered even during a turn of its event loop. */
export type Probe = {
  /** Returns the code that runs. */
  look(): Look
  /** Gives signals their default action, which ends the process, until the loop's next turn. */
  releaseSignals(): void
}

/** The code that runs on the main thread at one time. */
export type Look = {
  /** The number of the beat of the event loop after which it runs. */
  readonly beat: number
  /** The plugin that the code belongs to; undefined for the server's own. */
  readonly plugin: string | undefined
  /** The lines of the stack, the last call first. */
  readonly frames: readonly string[]
  /** The CPU time that the thread has used so far, in milliseconds. */
  readonly cpuMs: number
}
