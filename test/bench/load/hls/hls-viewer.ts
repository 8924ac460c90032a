import { setTimeout as delay } from 'node:timers/promises'
import { findMarkers } from '../../media/marker.ts'
import type { LoadViewer } from '../load-viewer.ts'
import type { HlsFormat } from '../player.ts'
import { ViewerCounts } from '../viewer-counts.ts'
import { HttpConnection } from './http-connection.ts'
import { Playlists, type Listing } from './playlists.ts'
import { startProgress } from './progress.ts'
import type { Response } from './response-reader.ts'

/** After what was asked for was not there. */
const RETRY_MS = 500

export type HlsViewerInit = {
  readonly format: HlsFormat
  readonly port: number
  /** Of the multivariant playlist. */
  readonly path: string
  /** Look for markers, instead of only counting bytes. */
  readonly readsAll: boolean
}

const playlists = new Playlists()

/** Takes a stream by HLS, with one connection and one request at a time. */
export class HlsViewer implements LoadViewer {
  firstKeyframeMs: number | undefined
  failure: string | undefined
  counts = new ViewerCounts()
  readonly #init: HlsViewerInit
  readonly #settled: (viewer: LoadViewer) => void
  readonly #startMs = performance.now()
  readonly #connection: HttpConnection

  /** @param settled Called once: the first keyframe is there, or it has failed. */
  constructor(init: HlsViewerInit, settled: (viewer: LoadViewer) => void) {
    this.#init = init
    this.#settled = settled
    this.#connection = new HttpConnection(init.port, (reason) => this.#fail(reason))
    void this.#run()
  }

  beginWindow(): void {
    this.counts = this.counts.next()
  }

  stall(): void {
    this.#connection.socket.pause()
  }

  resume(): void {
    this.#connection.socket.resume()
  }

  async #run(): Promise<void> {
    while (this.failure === undefined) {
      await this.#watch().catch(() => {})
      await delay(RETRY_MS)
    }
  }

  /** @throws {Error} when something is not answered with what was asked for */
  async #watch(): Promise<void> {
    const { format, path } = this.#init
    const media = await this.#get(path, true, ({ body }) => addressOf(firstUri(body.toString()), path))
    const progress = startProgress(format, Math.random())
    let askedMs = performance.now()
    let listing = await this.#load(media)
    if (listing.initUri !== undefined) await this.#fetch(addressOf(listing.initUri, media))
    for (;;) {
      const wanted = progress.take(listing)
      for (const { uri } of wanted) await this.#fetch(addressOf(uri, media))
      if (wanted.length > 0) this.#joined()
      const afterMs = askedMs + progress.reloadAfterMs(listing, wanted.length > 0) - performance.now()
      if (afterMs > 0) await delay(afterMs)
      askedMs = performance.now()
      listing = await this.#load(withQuery(media, progress.reloadQuery(listing)))
    }
  }

  #load(address: string): Promise<Listing> {
    return this.#get(address, true, ({ body }) => playlists.read(body))
  }

  #fetch(address: string): Promise<void> {
    return this.#get(address, this.#init.readsAll, ({ bodyBytes, body }) => {
      this.counts.receivedBytes += bodyBytes
      const markers = findMarkers(body)
      for (const marker of markers) this.counts.see(marker)
      const last = markers.at(-1)
      if (last !== undefined) this.counts.arrived(last)
    })
  }

  async #get<Result>(address: string, keepsBody: boolean, read: (response: Response) => Result): Promise<Result> {
    this.counts.requests++
    return this.#connection.get(address, keepsBody, (response) => {
      if (response.status === 200) return read(response)
      this.counts.failedRequests++
      throw new Error(`${response.status} for ${address}`)
    })
  }

  #joined(): void {
    if (this.firstKeyframeMs !== undefined) return
    this.firstKeyframeMs = performance.now() - this.#startMs
    this.#settled(this)
  }

  #fail(reason: string): void {
    this.failure = reason
    if (this.firstKeyframeMs === undefined) this.#settled(this)
  }
}

function firstUri(playlist: string): string {
  return playlist.split('\n').find((line) => line !== '' && !line.startsWith('#')) ?? ''
}

function addressOf(uri: string, base: string): string {
  const { pathname, search } = new URL(uri, `http://127.0.0.1${base}`)
  return pathname + search
}

function withQuery(address: string, query: string): string {
  return query === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${query}`
}
