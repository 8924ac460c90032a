import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { CloseReason, Publisher, PullEnd, PullRequest, StreamManager } from 'sluice/sdk'
import { Pacer } from './pacer.ts'
import { fetchPlaylist, PlaylistFollower } from './playlist-follower.ts'
import { MAIN, Rendition } from './rendition.ts'
import { SegmentLoader } from './segment-loader.ts'
import { SourceClient } from './source-client.ts'
import { SourceError } from './source-error.ts'
import type { SourceMediaPlaylist } from './source-playlist.ts'
import { SourceTimeline } from './source-timeline.ts'
import { chooseVariant } from './variant-choice.ts'

const CLIENT = { ip: '', port: 0, userAgent: 'hls pull' }
/** Shortest and longest time from one look at what is due to the next. */
const MIN_TICK_MS = 5
const MAX_TICK_MS = 100

type PullDeps = { readonly streams: Pick<StreamManager, 'publish'>; readonly log: Logger }
/** A playlist that was fetched, and where. */
type Found = { readonly playlist: SourceMediaPlaylist; readonly url: string }

/** Pulls one source, from the first request to its end. */
export class HlsPull {
  readonly #deps: PullDeps
  readonly #request: PullRequest
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  readonly #client: SourceClient
  readonly #pacer = new Pacer()
  readonly #drained = Promise.withResolvers<void>()
  #timer: NodeJS.Timeout | undefined
  #publishing = false
  #complete = false

  /** @throws {SourceError} when the address is not valid */
  constructor(deps: PullDeps, request: PullRequest) {
    this.#deps = deps
    this.#request = request
    this.#signal = AbortSignal.any([request.signal, this.#stop.signal])
    this.#client = new SourceClient({ url: request.url, header: request.header, signal: this.#signal })
  }

  /** See `PullService.pull`. */
  async run(): Promise<PullEnd> {
    let closed: CloseReason | undefined
    let publisher: Publisher | undefined
    try {
      const renditions = await this.#open()
      publisher = await this.#publish()
      publisher.onClose((reason) => {
        closed = reason
        this.#stop.abort()
      })
      await this.#play(renditions, publisher)
      return { by: 'source' }
    } catch (error) {
      if (closed === undefined || this.#request.signal.aborted) throw error
      return { by: 'server', reason: closed }
    } finally {
      this.#stop.abort()
      clearTimeout(this.#timer)
      publisher?.close('the pull has ended')
    }
  }

  /** The renditions to play, each with its first segment. */
  async #open(): Promise<Rendition[]> {
    const timeline = new SourceTimeline()
    const clock = {
      nowMs: () => performance.now(),
      wait: (ms: number) => delay(ms, undefined, { signal: this.#signal }),
    }
    const found = await this.#findPlaylists()
    const renditions = found.map(({ playlist, url }, index) => {
      const { log } = this.#deps
      const client = this.#client
      const signal = this.#signal
      const follower = new PlaylistFollower({ client, clock, playlist, url, signal, log })
      const name = index === 0 ? MAIN : 'audio'
      const onEvents = () => this.#schedule(0)
      const common = { name, follower, timeline, pacer: this.#pacer, clock, signal, log, onEvents }
      return new Rendition({ ...common, loader: new SegmentLoader(client) }, this.#request.loop)
    })
    await Promise.all(renditions.map((rendition) => rendition.open()))
    return renditions
  }

  async #findPlaylists(): Promise<Found[]> {
    const { url } = this.#client
    const root = await fetchPlaylist(this.#client, url, url)
    if (root.playlist.kind === 'media') return [{ playlist: root.playlist, url: root.url }]
    const { variant, audio } = chooseVariant(root.playlist)
    const uris = audio?.uri === undefined || audio.uri === variant.uri ? [variant.uri] : [variant.uri, audio.uri]
    return Promise.all(uris.map((uri) => this.#findMedia(uri, root.url)))
  }

  async #findMedia(uri: string, base: string): Promise<Found> {
    const { playlist, url } = await fetchPlaylist(this.#client, uri, base)
    if (playlist.kind !== 'media') throw new SourceError('a variant of the source is a multivariant playlist itself')
    return { playlist, url }
  }

  #publish(): Promise<Publisher> {
    const { streamPath, publish, signal } = this.#request
    const session = { streamPath, type: 'pull', url: '', query: '', client: CLIENT, signal } as const
    return this.#deps.streams.publish(session, { config: publish })
  }

  async #play(renditions: readonly Rendition[], publisher: Publisher): Promise<void> {
    for (const rendition of renditions) rendition.begin(publisher)
    if (renditions.every(({ trackCount }) => trackCount === 0)) {
      const found = renditions.flatMap(({ unsupported }) => unsupported).join(', ')
      throw new SourceError(`the source has no track that can be carried${found === '' ? '' : ` (${found})`}`)
    }
    publisher.tracksComplete()
    this.#publishing = true
    this.#schedule(0)
    await Promise.all(renditions.map((rendition) => rendition.run()))
    this.#complete = true
    this.#schedule(0)
    await Promise.race([this.#drained.promise, aborted(this.#signal)])
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer)
    if (this.#publishing && !this.#signal.aborted) this.#timer = setTimeout(() => this.#tick(), delayMs)
  }

  #tick(): void {
    const dueMs = this.#pacer.tick(performance.now())
    if (dueMs !== undefined) this.#schedule(Math.min(Math.max(MIN_TICK_MS, dueMs), MAX_TICK_MS))
    else if (this.#complete) this.#drained.resolve()
  }
}

/** Rejects when the signal aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const fail = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
  if (signal.aborted) fail()
  else signal.addEventListener('abort', fail, { once: true })
  return promise
}
