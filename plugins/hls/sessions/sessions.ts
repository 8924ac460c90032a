import { randomBytes } from 'node:crypto'
import type { CloseReason, PluginContext, SessionClient, Subscriber } from 'sluice/sdk'
import type { HlsStream } from '../hls-stream.ts'
import { Session } from './session.ts'

const TOKEN_SIZE_BYTES = 16
/** A session that was stopped is known as such for this long after its last request. */
const STOPPED_MS = 600_000
/** The latest of them are kept. */
const MAX_STOPPED = 10_000

export type NewSession = {
  /** The token of the session that it goes on from. */
  readonly formerToken?: string | undefined
  readonly requestedPath: string
  readonly hlsStream: HlsStream
  readonly subscriber: Subscriber
  readonly client: SessionClient
}

/** All viewers, by the token in the addresses of their playlists. */
export class Sessions {
  readonly #log: PluginContext<unknown>['log']
  readonly #nowMs: () => number
  readonly #sessions = new Set<Session>()
  /** Sessions by token and requested path: a token is good for one path only. */
  readonly #byKey = new Map<string, Session>()
  /** Tokens of sessions that somebody ended, with the time of their last request. */
  readonly #stopped = new Map<string, number>()

  constructor(log: PluginContext<unknown>['log'], nowMs: () => number) {
    this.#log = log
    this.#nowMs = nowMs
  }

  get count(): number {
    return this.#sessions.size
  }

  /** Takes a subscriber over that was admitted and whose stream is ready. */
  open({ formerToken, requestedPath, hlsStream, subscriber, client }: NewSession): Session {
    const token = `~${randomBytes(TOKEN_SIZE_BYTES).toString('base64url')}`
    const session = new Session({ token, formerToken, requestedPath, hlsStream, subscriber, nowMs: this.#nowMs() })
    this.#sessions.add(session)
    for (const key of keysOf(session)) this.#byKey.set(key, session)
    hlsStream.hold(requestedPath)
    const log = this.#log.child({ session: subscriber.id, stream: subscriber.streamPath })
    log.info({ ip: client.ip, port: client.port, format: hlsStream.format }, 'play')
    subscriber.onClose((reason) => {
      log.info({ reason: reason.text }, 'play ended')
      this.#onClose(session, reason)
    })
    return session
  }

  find(token: string, requestedPath: string): Session | undefined {
    return this.#byKey.get(keyOf(token, requestedPath))
  }

  /** Whether there is such a session, or was one that somebody ended. */
  knows(token: string, requestedPath: string): boolean {
    return this.find(token, requestedPath) !== undefined || this.#stopped.has(token)
  }

  /** Whether somebody ended this session: it is not to go on under another token. */
  wasStopped(token: string): boolean {
    if (!this.#stopped.delete(token)) return false
    this.#stopped.set(token, this.#nowMs())
    return true
  }

  end(session: Session, reason: string): void {
    if (!this.#forget(session)) return
    session.subscriber.close(reason)
  }

  /** Does what falls due by itself. */
  tick(nowMs: number): void {
    for (const session of this.#sessions) {
      if (session.hlsStream.disposed) this.end(session, 'the stream is over')
      else if (session.isIdle(nowMs)) this.end(session, 'no request for two target durations')
    }
    for (const [token, lastRequestMs] of this.#stopped) {
      if (nowMs - lastRequestMs < STOPPED_MS) break
      this.#stopped.delete(token)
    }
  }

  #onClose(session: Session, { code }: CloseReason): void {
    if (!this.#sessions.has(session)) return
    if (code === 'timeout') {
      session.over = true
      return
    }
    this.#forget(session)
    for (const token of tokensOf(session)) this.#stopped.set(token, this.#nowMs())
    for (const token of this.#stopped.keys()) {
      if (this.#stopped.size <= MAX_STOPPED) break
      this.#stopped.delete(token)
    }
  }

  #forget(session: Session): boolean {
    if (!this.#sessions.delete(session)) return false
    for (const key of keysOf(session)) {
      if (this.#byKey.get(key) === session) this.#byKey.delete(key)
    }
    session.hlsStream.release(session.requestedPath)
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
