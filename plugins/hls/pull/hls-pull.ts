import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import {
  maskUrl,
  playRecording,
  publishSource,
  type PluginContext,
  type Publisher,
  type PullEnd,
  type PullRequest,
} from 'sluice/sdk'
import { isTs, pullTs } from '../file/ts-pull.ts'
import { Pacer } from './pacer.ts'
import { fetchPlaylist, PlaylistFollower } from './playlist-follower.ts'
import { SegmentLoader } from './segment-loader.ts'
import { SourceClient } from './source-client.ts'
import { SourceError } from './source-error.ts'
import type { SourceMediaPlaylist } from '../wire/source-playlist.ts'
import { MAIN, SourceRendition } from './source-rendition.ts'
import { SourceTimes } from './source-times.ts'
import { chooseVariant } from './variant-choice.ts'

/** The shortest and the longest time between two ticks. */
const MIN_TICK_MS = 5
const MAX_TICK_MS = 100

export type HlsPullOptions = {
  readonly streams: Pick<PluginContext<unknown>['streams'], 'publish'>
  readonly log: Logger
  readonly request: PullRequest
}
/** A playlist that was fetched, and where. */
type Found = { readonly playlist: SourceMediaPlaylist; readonly url: string }

/** Offers to pull streams by HLS; the definition names `pull:hls` in its `provides`. */
export function registerPull({ services, streams, log }: PluginContext<unknown>): void {
  services.provide('pull:hls', {
    endings: ['.m3u8', '.ts'],
    files: ['.ts'],
    async pull(request) {
      const { session, url, recording } = request
      if (recording !== undefined) return playRecording(streams, request, recording)
      const child = log.child({ stream: session.streamPath, source: maskUrl(url) })
      if (isTs(request)) return pullTs({ streams, log: child, request })
      return new HlsPull({ streams, log: child, request }).run()
    },
  })
}

/** Pulls one source, from the first request to its end. */
export class HlsPull {
  readonly #options: HlsPullOptions
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  readonly #client: SourceClient
  readonly #pacer = new Pacer()
  /** Rejects when a step of the pacer fails. */
  readonly #failure = Promise.withResolvers<never>()
  #timer: NodeJS.Timeout | undefined
  #publishing = false

  /** @throws {SourceError} when the address is not valid */
  constructor(options: HlsPullOptions) {
    this.#options = options
    this.#signal = AbortSignal.any([options.request.signal, this.#stop.signal])
    this.#client = new SourceClient({ ...options.request, signal: this.#signal })
  }

  /** See `PullService.pull`. */
  async run(): Promise<PullEnd> {
    const { streams, request } = this.#options
    try {
      const renditions = await this.#open()
      return await publishSource(streams, request, {}, (publisher) => this.#play(renditions, publisher))
    } finally {
      this.#stop.abort()
      clearTimeout(this.#timer)
    }
  }

  /** The renditions to play, each with its first segment. */
  async #open(): Promise<SourceRendition[]> {
    const { log, request } = this.#options
    const times = new SourceTimes()
    const client = this.#client
    const signal = this.#signal
    const clock = { nowMs: () => performance.now(), wait: (ms: number) => delay(ms, undefined, { signal }) }
    const onEvents = () => this.#schedule(0)
    const common = { times, pacer: this.#pacer, clock, signal, log, onEvents, loop: request.loop }
    const found = await this.#findPlaylists()
    const renditions = found.map(({ playlist, url }, index) => {
      const follower = new PlaylistFollower({ client, clock, playlist, url, signal, log })
      const name = index === 0 ? MAIN : 'audio'
      return new SourceRendition({ ...common, name, follower, loader: new SegmentLoader(client) })
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

  async #play(renditions: readonly SourceRendition[], publisher: Publisher): Promise<void> {
    for (const rendition of renditions) await rendition.begin(publisher)
    if (renditions.every(({ trackCount }) => trackCount === 0)) {
      const found = renditions.flatMap(({ unsupported }) => unsupported).join(', ')
      throw new SourceError(`the source has no track that can be carried${found === '' ? '' : ` (${found})`}`)
    }
    publisher.tracksComplete()
    const { speed } = publisher.config
    if (renditions.every(({ isRecording }) => isRecording)) this.#pacer.setSpeed(speed, performance.now())
    this.#publishing = true
    this.#schedule(0)
    const played = Promise.all(renditions.map((rendition) => rendition.run()))
    await Promise.race([played, this.#failure.promise])
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer)
    if (this.#publishing && !this.#signal.aborted) this.#timer = setTimeout(() => this.#tick(), delayMs)
  }

  #tick(): void {
    try {
      const dueMs = this.#pacer.tick(performance.now())
      if (dueMs !== undefined) this.#schedule(Math.min(Math.max(MIN_TICK_MS, dueMs), MAX_TICK_MS))
    } catch (error) {
      this.#failure.reject(error)
    }
  }
}
