import type { CloseReason, PluginContext, SessionClient, Subscriber } from 'sluice/sdk'
import type { HlsStream } from '../hls-stream.ts'
import type { SequenceNumbers } from '../presentation/sequence-numbers.ts'
import type { SpliceOptions } from '../splice/splice.ts'
import { Session } from './session.ts'

/** The time after its last request for which a stopped session is remembered. */
const STOPPED_MS = 600_000
/** The most stopped sessions that are remembered, the latest ones. */
const MAX_STOPPED = 10_000
/** The most sessions with numbers of their own that are remembered, the latest ones. */
const MAX_SWITCHED = 1000

export type NewSession = {
  /** The token of the former session that it continues. */
  readonly formerToken?: string | undefined
  readonly requestedPath: string
  readonly hlsStream: HlsStream
  readonly subscriber: Subscriber
  /** The path of the stream that it was given when it was admitted. */
  readonly sourcePath: string
  readonly client: SessionClient
}

export type SessionsOptions = {
  readonly log: PluginContext<unknown>['log']
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number
  readonly createToken: () => string
  /** Finds streams for viewers that are switched to another one. */
  readonly hlsStreams: SpliceOptions['hlsStreams']
  /** The stopped sessions of all generations. */
  readonly stopped: StoppedTokens
  /** The numbers of switched sessions of all generations. */
  readonly switched: SwitchedNumbers
}

/** The tokens of sessions that were stopped, with the time of their last request. */
export type StoppedTokens = Map<string, number>

/** The numbers with which the sessions of switched viewers would have continued, by their tokens; latest last. */
export type SwitchedNumbers = Map<string, SequenceNumbers>

/** All viewers, by the token in the addresses of their playlists. */
export class Sessions {
  readonly #options: SessionsOptions
  readonly #sessions = new Set<Session>()
  /** The sessions by token and requested path: a token is valid for one path only. */
  readonly #byKey = new Map<string, Session>()

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#sessions.size
  }

  /** Opens the session of an admitted subscriber to a stream that is ready. */
  open({ formerToken, requestedPath, hlsStream, subscriber, sourcePath, client }: NewSession): Session {
    const { createToken, hlsStreams, switched, nowMs } = this.#options
    const token = createToken()
    const numbers = switched.get(formerToken ?? '')
    const log = this.#options.log.child({ session: subscriber.id, stream: subscriber.streamPath })
    const common = { log, formerToken, requestedPath, hlsStream, hlsStreams, subscriber }
    const session = new Session({ ...common, token, numbers, nowMs: nowMs() })
    this.#sessions.add(session)
    for (const key of keysOf(session)) this.#byKey.set(key, session)
    log.info({ ip: client.ip, port: client.port, format: hlsStream.format }, 'play')
    // All viewers that are moved at the same time have been moved in the microtask.
    subscriber.onSource(() => queueMicrotask(() => session.moved()))
    subscriber.onClose((reason) => {
      log.info({ reason: reason.text }, 'play ended')
      this.#onClose(session, reason)
    })
    if (subscriber.sourcePath !== sourcePath) session.moved()
    return session
  }

  find(token: string, requestedPath: string): Session | undefined {
    return this.#byKey.get(keyOf(token, requestedPath))
  }

  /** True when the session was stopped, so that it must not continue under another token. */
  wasStopped(token: string): boolean {
    const { stopped, nowMs } = this.#options
    if (!stopped.delete(token)) return false
    stopped.set(token, nowMs())
    return true
  }

  end(session: Session, reason: string): void {
    if (!this.#forget(session)) return
    session.subscriber.close(reason)
  }

  /** Does the work that is due by time. */
  tick(nowMs: number): void {
    for (const session of this.#sessions) {
      session.tick(nowMs)
      if (session.source.disposed) this.end(session, 'the stream is over')
      else if (session.isIdle(nowMs)) this.end(session, 'no request for too long')
    }
    const { stopped } = this.#options
    for (const [token, lastRequestMs] of stopped) {
      if (nowMs - lastRequestMs < STOPPED_MS) break
      stopped.delete(token)
    }
  }

  /** Releases the streams of all sessions. */
  dispose(): void {
    for (const session of this.#sessions) session.release()
  }

  #onClose(session: Session, { code }: CloseReason): void {
    if (!this.#sessions.has(session)) return
    if (code === 'timeout') {
      session.over = true
      return
    }
    this.#forget(session)
    const { stopped, nowMs } = this.#options
    for (const token of tokensOf(session)) stopped.set(token, nowMs())
    for (const token of stopped.keys()) {
      if (stopped.size <= MAX_STOPPED) break
      stopped.delete(token)
    }
  }

  /** Remembers the numbers of a viewer that was switched, for the session that continues it. */
  #remember(session: Session): void {
    const { switched } = this.#options
    const { nextNumbers } = session
    if (nextNumbers === undefined) return
    for (const token of tokensOf(session)) {
      switched.delete(token)
      switched.set(token, nextNumbers)
    }
    for (const token of switched.keys()) {
      if (switched.size <= MAX_SWITCHED) break
      switched.delete(token)
    }
  }

  #forget(session: Session): boolean {
    if (!this.#sessions.delete(session)) return false
    for (const key of keysOf(session)) {
      if (this.#byKey.get(key) === session) this.#byKey.delete(key)
    }
    this.#remember(session)
    session.release()
    return true
  }
}

function tokensOf({ token, formerToken }: Session): string[] {
  return formerToken === undefined ? [token] : [token, formerToken]
}

function keysOf(session: Session): string[] {
  return tokensOf(session).map((token) => keyOf(token, session.requestedPath))
}

function keyOf(token: string, requestedPath: string): string {
  return `${token} ${requestedPath}`
}
