/** The name, for `Symbol.for`, under which the watchdog's thread finds the probe among the globals of the main thread. */
export const PROBE_NAME = 'sluice.watchdog'

/** What the watchdog's thread asks the main thread, which answers even in the midst of a turn of its event loop. */
export type Probe = {
  /** Looks at what runs. */
  look(): Look
  /** Has signals end the process as they do without the server, until the loop turns again. */
  releaseSignals(): void
}

/** What runs on the main thread at one time. */
export type Look = {
  /** The beat of the event loop after which it runs. */
  readonly beat: number
  /** Whose code it is; undefined when it is the server's own. */
  readonly plugin: string | undefined
  /** Lines of the stack, the last call first. */
  readonly frames: readonly string[]
  /** CPU time that the thread has used so far, in milliseconds. */
  readonly cpuMs: number
}
