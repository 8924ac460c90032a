import { StreamNotFound, StreamUnavailable, type PluginContext, type Subscriber } from 'sluice/sdk'
import type { HlsFormat } from './config.ts'
import type { Presentation } from './presentation/presentation.ts'
import type { Rendition } from './presentation/rendition.ts'
import { PlaylistCache, type PlaylistRequest } from './http/playlist-cache.ts'
import type { ReadyReply } from './http/playlist-cache.ts'
import { WaitingRequests } from './http/waiting-requests.ts'
import type { PlaylistSource } from './sessions/playlist-source.ts'

/** The part of a presentation that the HTTP side uses. */
export type LivePresentation = Pick<
  Presentation,
  | 'id'
  | 'reader'
  | 'tracksTold'
  | 'ready'
  | 'failed'
  | 'targetDurationSeconds'
  | 'renditions'
  | 'onChange'
  | 'multivariant'
  | 'file'
  | 'nextNumbers'
  | 'end'
>

/** Identifies a presentation: a stream, a format, and the selected part of the stream. */
export type HlsStreamKey = {
  readonly streamPath: string
  readonly format: HlsFormat
  /** The selected part of the stream, when the request overrides the config: as a query, such as `subaudio=false`. */
  readonly selection?: string
  /** The names of its renditions, when they must be those that players know; by default they suit the tracks. */
  readonly renditions?: readonly string[]
  /** True for the path's own stream, even when the viewers of that path get another one. */
  readonly exact?: boolean
}

export type HlsStreamOptions = {
  readonly key: HlsStreamKey
  readonly window: number
  readonly presentation: LivePresentation
  readonly streams: Pick<PluginContext<unknown>['streams'], 'subscribe' | 'move'>
  readonly log: PluginContext<unknown>['log']
  /** Called whenever a playlist has changed, on the media path. */
  readonly onChange: () => void
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number
}

/** The longest time to the first segment, which may take as long as a group of pictures. */
const READY_TIMEOUT_MS = 30_000
/** The target duration of a stream that has ended before it had one. */
const FALLBACK_TARGET_SECONDS = 2

/** A stream as HLS in one format: its presentation, the subscription that feeds it, and its viewers. */
export class HlsStream implements PlaylistSource {
  readonly key: HlsStreamKey
  readonly presentation: LivePresentation
  readonly waiting: WaitingRequests
  readonly #options: HlsStreamOptions
  readonly #leave = new AbortController()
  readonly #playlists = new Map<string, PlaylistCache>()
  /** The number of sessions that use it under each requested path. */
  readonly #paths = new Map<string, number>()
  readonly #listeners = new Set<() => void>()
  readonly #startMs: number
  readonly #ignoreChanges: () => void
  #readiness = readiness()
  #subscriber: Subscriber | undefined
  #changed = false
  #failure: string | undefined
  #holders = 0
  #idleSinceMs: number
  #endedMs: number | undefined
  #disposed = false

  constructor(options: HlsStreamOptions) {
    this.#options = options
    this.key = options.key
    this.presentation = options.presentation
    this.waiting = new WaitingRequests((err) => options.log.error({ err }, 'a playlist could not be sent'))
    this.#startMs = options.nowMs()
    this.#idleSinceMs = this.#startMs
    this.#ignoreChanges = this.presentation.onChange(() => this.#onChange())
  }

  get streamPath(): string {
    return this.key.streamPath
  }

  /** The path of the stream that it currently shows. */
  get sourcePath(): string {
    return this.#subscriber?.sourcePath ?? this.streamPath
  }

  /** The number of segments in a playlist. */
  get window(): number {
    return this.#options.window
  }

  get format(): HlsFormat {
    return this.key.format
  }

  /** True when no more media comes, and playlists have ended. */
  get ended(): boolean {
    return this.#endedMs !== undefined
  }

  get endedMs(): number | undefined {
    return this.#endedMs
  }

  /** True when its segments were freed. */
  get disposed(): boolean {
    return this.#disposed
  }

  /** The time since which nothing holds it; undefined while it is held. */
  get idleSinceMs(): number | undefined {
    return this.#holders > 0 ? undefined : this.#idleSinceMs
  }

  get targetMs(): number {
    return (this.presentation.targetDurationSeconds || FALLBACK_TARGET_SECONDS) * 1000
  }

  /** The time for which its segments are listed, in seconds. */
  get windowSeconds(): number {
    return Math.ceil((this.targetMs / 1000) * this.#options.window)
  }

  /** Subscribes to the stream, until that ends or this is disposed. Never rejects. */
  async run(): Promise<void> {
    const { streams, presentation } = this.#options
    const { streamPath, selection: query = '', exact = false } = this.key
    const client = { ip: '', port: 0, userAgent: '' }
    try {
      const { signal } = this.#leave
      // Viewers of the path are moved together with this stream.
      const kind = { type: 'transform', follows: !exact } as const
      const subscriber = await streams.subscribe({ streamPath, url: '', query, client, signal, ...kind })
      this.#subscriber = subscriber
      if (exact) streams.move([subscriber.id], streamPath)
      // A stream that has not come back is over; its segments stay for a while.
      subscriber.onClose(({ code }) => (code === 'timeout' ? this.end() : this.dispose()))
      if (this.#disposed) return subscriber.close('nobody watches')
      subscriber.read(presentation.reader)
      presentation.tracksTold()
    } catch (error) {
      this.#readiness.reject(error)
      this.end()
    }
  }

  /**
   * Resolves when the stream can be played.
   * @throws {StreamNotFound} when it never can be, because it ended or no track can be carried
   * @throws {StreamUnavailable} when it takes too long
   */
  whenReady(): Promise<void> {
    return this.#readiness.promise
  }

  /** Calls the listener when playlists have changed, once for all changes of a turn. @returns a function that removes the listener */
  onUpdate(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  hold(requestedPath: string): void {
    this.#holders++
    this.#paths.set(requestedPath, (this.#paths.get(requestedPath) ?? 0) + 1)
  }

  release(requestedPath: string): void {
    this.#holders--
    const count = (this.#paths.get(requestedPath) ?? 1) - 1
    if (count > 0) this.#paths.set(requestedPath, count)
    else this.#paths.delete(requestedPath)
    this.#idleSinceMs = this.#options.nowMs()
  }

  /** True when its files are served under this path: its own, or one from which a gate directed a session here. */
  serves(requestedPath: string): boolean {
    return requestedPath === this.streamPath || this.#paths.has(requestedPath)
  }

  rendition(name: string): Rendition | undefined {
    return this.presentation.renditions.get(name)
  }

  /** A rendition's playlist; undefined when there is no such rendition. */
  playlist(name: string, request: PlaylistRequest): ReadyReply | undefined {
    const rendition = this.rendition(name)
    if (rendition === undefined) return undefined
    let cache = this.#playlists.get(name)
    if (cache === undefined) {
      cache = new PlaylistCache(
        (options) => rendition.playlist(options),
        (uri) => this.#address(uri),
      )
      this.#playlists.set(name, cache)
    }
    return cache.reply(request)
  }

  /** Does the work that is due by time. */
  tick(nowMs: number): void {
    this.waiting.expire(nowMs)
    if (nowMs - this.#startMs < READY_TIMEOUT_MS || this.presentation.ready) return
    this.#readiness.reject(new StreamUnavailable('there is no complete segment yet'))
    if (!this.presentation.failed && !this.ended) this.#readiness = readiness()
  }

  /** Ends the presentation, as no more media comes; its segments stay until it is disposed. Idempotent. */
  end(): void {
    if (this.ended) return
    this.#endedMs = this.#options.nowMs()
    this.presentation.end()
    this.#onChange()
    this.#readiness.reject(new StreamNotFound())
  }

  /** Frees all segments; viewers have to open new sessions. Idempotent. */
  dispose(): void {
    if (this.#disposed) return
    this.#disposed = true
    // The stream may go on, so the requests that wait are not answered with its end.
    this.waiting.expire(Infinity)
    this.#leave.abort()
    this.#subscriber?.close('nobody watches')
    this.end()
    this.#ignoreChanges()
    this.#playlists.clear()
  }

  // Called on the media path: the answers go out after it, once for all changes of a turn.
  #onChange(): void {
    this.#options.onChange()
    for (const cache of this.#playlists.values()) cache.drop()
    this.#checkReady()
    if (this.#changed) return
    this.#changed = true
    setImmediate(() => {
      this.#changed = false
      this.waiting.release()
      for (const listener of this.#listeners.values().toArray()) listener()
    })
  }

  #checkReady(): void {
    const { ready, failed } = this.presentation
    if (ready) this.#readiness.resolve()
    if (failed === this.#failure) return
    this.#failure = failed
    if (failed === undefined) return void (this.#readiness = readiness())
    this.#options.log.warn({ format: this.format, reason: failed }, 'the stream cannot be played by HLS')
    this.#readiness.reject(new StreamNotFound(failed))
  }

  // Playlists lie a folder below the files, beside the other playlists.
  #address(uri: string): string {
    return uri.startsWith(`${this.presentation.id}-`) ? `../${uri}` : uri
  }
}

function readiness(): PromiseWithResolvers<void> {
  const resolvers = Promise.withResolvers<void>()
  // The promise may reject before anything waits for it.
  resolvers.promise.catch(() => {})
  return resolvers
}
