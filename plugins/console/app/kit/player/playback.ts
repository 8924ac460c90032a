import { api } from '../api-client.ts'
import type { Engine, Failure, Transport } from './engine.ts'
import { addressOf, TRANSPORTS, transportsToTry } from './transports.ts'

/** The pause before a stream is asked for again, which doubles up to the longest. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 15_000
/** Without a picture for so long, another transport is tried. */
const PATIENCE_MS = 10_000
/** The viewer is told of a picture that stands still for so long, as when the publisher has gone. */
const STILL_MS = 5000
/** A picture that stands still for so long may come by a dead connection, so that another is opened. */
const DEAD_MS = 20_000
const WATCH_MS = 1000
/** A page that is hidden for so long takes no media. */
const HIDDEN_MS = 60_000
/** A signature that was refused is made anew, but not at once. */
const SIGNATURE_RETRY_MS = 30_000

export type PlaybackState = {
  /**
   * `connecting`; `playing`; `stalled`: it has played, and no new picture comes; `waiting`: nobody publishes it, or nothing comes; `ended`: it has played, and is waited for;
   * `refused` and `unsupported`: it is given up.
   */
  readonly phase: 'connecting' | 'playing' | 'stalled' | 'waiting' | 'ended' | 'refused' | 'unsupported'
  readonly transport: Transport
  /** Why it is so, by the server or the browser. */
  readonly message: string
  /** The transports that did not play it, and why. */
  readonly passedOver: readonly { readonly transport: Transport; readonly reason: string }[]
}

type PlaybackOptions = {
  readonly streamPath: string
  /** The only transport; undefined tries one after the other. */
  readonly transport: Transport | undefined
  readonly onState: (state: PlaybackState) => void
}

/** Plays a stream in a media element, by the first transport that does, and again when it has ended and comes back. */
export class Playback {
  readonly #video: HTMLVideoElement
  readonly #options: PlaybackOptions
  readonly #transports: readonly Transport[]
  readonly #passedOver: { readonly transport: Transport; readonly reason: string }[] = []
  readonly #listening = new AbortController()
  #index = 0
  #engine: Engine | undefined
  /** Counts what is opened and closed: what belongs to another number is over. */
  #turn = 0
  #hasPlayed = false
  #pauseMs = FIRST_PAUSE_MS
  #retry: number | undefined
  #patience: number | undefined
  #hiding: number | undefined
  /** The place in the media, and when it was reached. */
  #progress = { place: -1, atMs: 0 }
  #isStalled = false
  /** The query that passes the gates, by transport, once it was asked for. */
  readonly #signatures = new Map<Transport, { readonly query: string; readonly atMs: number }>()

  constructor(video: HTMLVideoElement, options: PlaybackOptions) {
    this.#video = video
    this.#options = options
    this.#transports = transportsToTry(options.transport)
    const { signal } = this.#listening
    // A source that is set anew ends what was asked of the element before, so playing is asked for once it has media.
    video.addEventListener('loadedmetadata', () => this.#begin(), { signal })
    video.addEventListener('playing', () => this.#playing(), { signal })
    document.addEventListener('visibilitychange', () => this.#visibilityChanged(), { signal })
    const watch = window.setInterval(() => this.#watch(), WATCH_MS)
    signal.addEventListener('abort', () => clearInterval(watch))
    void this.#open()
  }

  /** The engine that plays at present. */
  get engine(): Engine | undefined {
    return this.#engine
  }

  close(): void {
    this.#listening.abort()
    clearTimeout(this.#hiding)
    this.#stop()
  }

  get #transport(): Transport {
    return this.#transports[this.#index] ?? 'hls'
  }

  #tell(phase: PlaybackState['phase'], message = ''): void {
    this.#options.onState({ phase, transport: this.#transport, message, passedOver: [...this.#passedOver] })
  }

  async #open(): Promise<void> {
    this.#stop()
    const turn = this.#turn
    const transport = this.#transport
    if (!this.#hasPlayed) this.#tell('connecting')
    const { openEngine } = await TRANSPORTS[transport].load()
    if (turn !== this.#turn) return
    const query = this.#signatures.get(transport)?.query ?? ''
    const url = api.url(addressOf(transport, this.#options.streamPath)) + query
    const failed = (failure: Failure) => {
      if (turn === this.#turn) void this.#failed(failure)
    }
    this.#progress = { place: -1, atMs: performance.now() }
    this.#isStalled = false
    this.#patience = window.setTimeout(() => void this.#outOfPatience(turn), PATIENCE_MS)
    this.#engine = openEngine(this.#video, url, failed)
  }

  /** Browsers begin with sound after a click only; without one, it begins muted. */
  #begin(): void {
    const video = this.#video
    video.play().catch((error: unknown) => {
      if ((error as Error).name !== 'NotAllowedError' || video.muted) return
      video.muted = true
      video.play().catch(() => undefined)
    })
  }

  #stop(): void {
    this.#turn += 1
    clearTimeout(this.#retry)
    clearTimeout(this.#patience)
    this.#engine?.close()
    this.#engine = undefined
  }

  #playing(): void {
    clearTimeout(this.#patience)
    this.#hasPlayed = true
    this.#pauseMs = FIRST_PAUSE_MS
    this.#tell('playing')
  }

  async #failed(failure: Failure): Promise<void> {
    const { kind, message } = failure
    switch (kind) {
      case 'refused':
        return this.#refused(message)
      case 'unsupported':
        return this.#passOver(message) ? undefined : this.#giveUp('unsupported', message)
      case 'unreachable':
        // Media may go another way than the page itself, as that of WebRTC does.
        if (!this.#hasPlayed && this.#passOver(message)) return
        return this.#again('waiting', message)
      case 'missing':
        return this.#missing(message)
      case 'ended':
        return this.#again(this.#hasPlayed ? 'ended' : 'waiting', message)
    }
  }

  /** A stream that is published is missing where the transport is off, or has none of its codecs. */
  async #missing(message: string): Promise<void> {
    const turn = this.#turn
    const isElsewhere = !this.#hasPlayed && (await this.#isPublished())
    if (turn !== this.#turn || (isElsewhere && this.#passOver(message))) return
    this.#again(this.#hasPlayed ? 'ended' : 'waiting', message)
  }

  #isPublished(): Promise<boolean> {
    const { streamPath } = this.#options
    return api.call('GET /api/stream/info/{streamPath}', { params: { streamPath } }).then(
      () => true,
      () => false,
    )
  }

  /** Goes on to the next transport. */
  #passOver(reason: string): boolean {
    if (this.#index + 1 >= this.#transports.length) return false
    this.#passedOver.push({ transport: this.#transport, reason })
    this.#index += 1
    void this.#open()
    return true
  }

  #again(phase: 'waiting' | 'ended', message: string): void {
    this.#stop()
    this.#tell(phase, message)
    this.#retry = window.setTimeout(() => void this.#open(), this.#pauseMs)
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
  }

  #giveUp(phase: 'refused' | 'unsupported', message: string): void {
    this.#stop()
    this.#tell(phase, message)
  }

  /** Asks for the query that passes the gates, once: admins get it. */
  async #refused(message: string): Promise<void> {
    const transport = this.#transport
    const before = this.#signatures.get(transport)
    if (before !== undefined && performance.now() - before.atMs < SIGNATURE_RETRY_MS) {
      return this.#giveUp('refused', message)
    }
    this.#stop()
    const turn = this.#turn
    try {
      const { data } = await api.call('GET /api/stream/signedquery/{streamPath}', {
        params: { streamPath: this.#options.streamPath },
        query: { plugin: TRANSPORTS[transport].plugin, action: 'play' },
      })
      if (turn !== this.#turn) return
      const query = new URLSearchParams(data.query)
      if (query.size === 0) return this.#giveUp('refused', message)
      this.#signatures.set(transport, { query: `?${query}`, atMs: performance.now() })
    } catch {
      if (turn === this.#turn) this.#giveUp('refused', message)
      return
    }
    await this.#open()
  }

  /** A stream that is there and does not show is tried in another way; one that is not there is waited for. */
  async #outOfPatience(turn: number): Promise<void> {
    const isPublished = await this.#isPublished()
    if (turn !== this.#turn) return
    if (isPublished && this.#passOver(`no picture in ${PATIENCE_MS / 1000} s`)) return
    this.#tell('waiting')
  }

  #watch(): void {
    if (this.#engine === undefined || !this.#hasPlayed) return
    const place = placeOf(this.#video)
    const nowMs = performance.now()
    if (place !== this.#progress.place || document.hidden) {
      this.#progress = { place, atMs: nowMs }
      if (this.#isStalled) this.#tell('playing')
      this.#isStalled = false
      return
    }
    const stillMs = nowMs - this.#progress.atMs
    if (stillMs > DEAD_MS) return this.#again('ended', '')
    if (stillMs < STILL_MS || this.#isStalled) return
    this.#isStalled = true
    this.#tell('stalled')
  }

  #visibilityChanged(): void {
    clearTimeout(this.#hiding)
    if (document.hidden) this.#hiding = window.setTimeout(() => this.#stop(), HIDDEN_MS)
    else if (this.#engine === undefined) void this.#open()
  }
}

/** Counts on while new media is shown: pictures, and the time where there are none. */
function placeOf(video: HTMLVideoElement): number {
  return video.videoWidth > 0 ? video.getVideoPlaybackQuality().totalVideoFrames : video.currentTime
}
