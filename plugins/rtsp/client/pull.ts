import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import {
  maskUrl,
  publishSource,
  SluiceError,
  StreamUnavailable,
  type Publisher,
  type PullEnd,
  type PullRequest,
  type Talk,
  type TrackInit,
} from 'sluice/sdk'
import type { RtspContext } from '../plugin-context.ts'
import { isTransportRefusal, RtspClientError } from './client-error.ts'
import { ClientSession } from './client-session.ts'
import { openTalk } from './back-channel.ts'
import { RtspClient } from './rtsp-client.ts'
import { askForSource } from './source-offer.ts'
import { SourceControls } from './source-control.ts'
import { SourceSession } from './source-session.ts'
import { RTSP, TargetUrl, type TransportKind } from './target-url.ts'

/** The longest wait for media by UDP; media that has not come by then is asked for by TCP. */
const UDP_TIMEOUT_MS = 3000
/** The longest wait for media by TCP, which routers let through. */
const MEDIA_TIMEOUT_MS = 10_000
const MAX_REDIRECTS = 5
const LEFT_OUT = 'a track is left out: its format is not supported'

/** The running pulls of all generations, by path. */
export type PullTable = Map<string, { setSpeed(speed: number): Promise<void> }>

/** Offers to pull streams by RTSP; the definition names `pull:rtsp` in its `provides`. */
export function providePull(ctx: RtspContext, pulls: PullTable): void {
  ctx.services.provide('pull:rtsp', {
    schemes: Object.keys(RTSP.schemes),
    headerless: true,
    async pull(request) {
      const log = ctx.log.child({ stream: request.session.streamPath, source: maskUrl(request.url) })
      for (let left = request.loop; ; left -= 1) {
        const end = await pullOnce(new RtspPull({ ctx, log, request }), request.session.streamPath, pulls)
        if (end.by === 'server' || left === 0) return end
      }
    },
  })
}

/** Pulls a source until its end, and lets operators steer it. */
async function pullOnce(pull: RtspPull, streamPath: string, pulls: PullTable): Promise<PullEnd> {
  pulls.set(streamPath, pull)
  try {
    return await pull.run()
  } finally {
    if (pulls.get(streamPath) === pull) pulls.delete(streamPath)
  }
}

/** A source that has been asked to play. */
type Opened = { readonly client: RtspClient; readonly session: SourceSession }

type RtspPullOptions = { readonly ctx: RtspContext; readonly log: Logger; readonly request: PullRequest }

/** Pulls one source, from the first request to its end. */
class RtspPull {
  readonly #options: RtspPullOptions
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  #url: TargetUrl
  #session: SourceSession | undefined
  #control: SourceControls | undefined

  constructor(options: RtspPullOptions) {
    this.#options = options
    this.#url = new TargetUrl(options.request.url)
    this.#signal = AbortSignal.any([options.request.signal, this.#stop.signal])
  }

  /** @throws {SluiceError} when the source does not play, or refuses */
  async setSpeed(speed: number): Promise<void> {
    if (this.#control === undefined) throw new StreamUnavailable('the source does not play yet')
    try {
      await this.#control.setSpeed(speed)
    } catch (error) {
      throw new SluiceError('RATE_REFUSED', 500, error instanceof Error ? error.message : 'failed', { cause: error })
    }
  }

  /** See `PullService.pull`. */
  async run(): Promise<PullEnd> {
    const { ctx, request } = this.#options
    try {
      const opened = await this.#open()
      const control = new SourceControls(opened.session, (tracks) => this.#talk(tracks))
      const bits = opened.session.isTransportStream ? { timestampBits: 33 } : {}
      return await publishSource(ctx.streams, request, { control, ...bits }, (publisher) => {
        control.publisher = publisher
        this.#control = control
        return this.#play(opened, publisher)
      })
    } finally {
      this.#session?.close()
      this.#stop.abort()
    }
  }

  /** Opens the source by the first transport that media gets through. */
  async #open(): Promise<Opened> {
    const { ctx, request } = this.#options
    let failure: unknown
    for (const kind of this.#url.kinds(ctx.config.transport, request.dial)) {
      try {
        const opened = await this.#openBy(kind)
        const timeoutMs = kind === 'udp' ? UDP_TIMEOUT_MS : MEDIA_TIMEOUT_MS
        if (await arrives(opened, timeoutMs, this.#signal)) return opened
        opened.session.close()
        failure = new RtspClientError(`no media came by ${kind.toUpperCase()} within ${timeoutMs / 1000} s`)
      } catch (error) {
        // Another transport is tried only when the server refuses this one.
        if (!isTransportRefusal(error)) throw error
        failure = error
      }
    }
    throw failure
  }

  async #openBy(kind: TransportKind): Promise<Opened> {
    const { ctx, log, request } = this.#options
    const { dial } = request
    const { verifycertificate: verifyCertificate } = ctx.config
    for (let redirects = 0; ; redirects += 1) {
      const client = await RtspClient.connect({ url: this.#url, dial, verifyCertificate, signal: this.#signal })
      try {
        await client.learnMethods()
        const offer = await askForSource(client)
        if (offer.leftOut.length > 0) log.warn({ formats: offer.leftOut }, LEFT_OUT)
        const options = { client, url: offer.url, kind, mode: 'play', net: ctx.net, ports: ctx.config.udpport } as const
        const session = new SourceSession(offer, new ClientSession(options))
        this.#session = session
        await session.begin()
        return { client, session }
      } catch (error) {
        client.close()
        const location = error instanceof RtspClientError ? error.location : undefined
        if (location === undefined) throw error
        if (redirects === MAX_REDIRECTS)
          throw new RtspClientError(`more than ${MAX_REDIRECTS} redirects`, { cause: error })
        this.#url = this.#url.redirected(location)
      }
    }
  }

  /** Resolves when a recording is over; rejects when a live source or the connection has ended. */
  async #play({ session, client }: Opened, publisher: Publisher): Promise<void> {
    const ingest = session.deliver(publisher, this.#options.ctx)
    const { reader } = client.connection
    publisher.details(() => ({ transport: session.kind, ...ingest.counts, strayBytes: reader.strayBytes }))
    const ended = await Promise.race([session.ended, client.closed])
    if (session.offer.durationMs !== undefined && ended === 'bye') return
    throw new RtspClientError(ended === 'bye' ? 'the source has ended' : `the connection has ended: ${ended}`)
  }

  /** Opens the camera's back channel in a session of its own, so that the pull goes on undisturbed. */
  #talk(tracks: readonly TrackInit[]): Promise<Talk> {
    const { ctx, request } = this.#options
    return openTalk({ ctx, url: this.#url, dial: request.dial, tracks, signal: this.#signal })
  }
}

/** True when media comes within `timeoutMs`. */
async function arrives({ client, session }: Opened, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const timeout = delay(timeoutMs, false, { signal, ref: false })
  const closed = client.closed.then((reason) => {
    throw new RtspClientError(`the connection has ended: ${reason}`)
  })
  return Promise.race([session.arrived.then(() => true), timeout, closed])
}
