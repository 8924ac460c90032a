import { setTimeout as delay } from 'node:timers/promises'
import { Fmp4Demuxer, TsDemuxer } from 'sluice/sdk/media'
import { keep } from '../../peers/lifetime.ts'
import { addressesIn, ask, withQuery } from '../hls-client.ts'
import { allSegments, readMediaPlaylist } from '../hls/listed-media.ts'
import { validateMediaPlaylist } from '../hls/media-rules.ts'
import { PlaylistHistory } from '../hls/playlist-history.ts'
import type { ShowViewer } from './show-viewer.ts'
import type { UnitWatch } from './unit-watch.ts'

const RELOAD_MS = 100
/** Who has asked for nothing for so long may be led to a new session, as a player is that a busy machine held up. */
const LATE_MS = 3000

/** What a viewer of HLS has besides. */
export type ShowHlsViewer = ShowViewer & {
  /** How many discontinuities came. */
  readonly discontinuities: () => number
}

/** Plays by HLS: follows each playlist, and takes what it lists as it comes. */
export async function watchHls(url: string, format: 'llhls' | 'fmp4' | 'ts', watch: UnitWatch): Promise<ShowHlsViewer> {
  const multivariant = await ask(withQuery(url, `format=${format}`))
  if (multivariant.status !== 200) throw new Error(`${url} answered ${multivariant.status} ${multivariant.text}`)
  const renditions = [...new Set(addressesIn(multivariant))].map((address) => new Rendition(address, format, watch))
  return {
    way: `HLS, ${format}`,
    watch,
    isGone: () => renditions.some(({ failed }) => failed),
    close: () => renditions.forEach((rendition) => rendition.close()),
    discontinuities: () => Math.max(...renditions.map(({ discontinuities }) => discontinuities)),
  }
}

class Rendition {
  discontinuities = 0
  failed = false
  #url: string
  #answeredMs = performance.now()
  readonly #format: 'llhls' | 'fmp4' | 'ts'
  readonly #watch: UnitWatch
  readonly #history = new PlaylistHistory()
  readonly #stop = new AbortController()
  readonly #demux: (bytes: Buffer) => void
  /** The segment and the part that come next, and the bytes of the segment that came by its parts. */
  #next: { sequence: number; part: number; sizeBytes: number } | undefined
  #initUri: string | undefined
  #broken = -1

  constructor(url: string, format: 'llhls' | 'fmp4' | 'ts', watch: UnitWatch) {
    this.#url = url
    this.#format = format
    this.#watch = watch
    this.#demux = format === 'ts' ? tsBytes(watch) : fmp4Bytes(watch)
    const letGo = keep(this)
    void this.#follow().then(letGo)
  }

  close(): void {
    this.#stop.abort()
  }

  async #follow(): Promise<void> {
    try {
      while (!this.#stop.signal.aborted) await this.#reload()
    } catch (error) {
      if (this.#stop.signal.aborted) return
      this.failed = true
      this.#watch.note(String(error))
    }
  }

  async #reload(): Promise<void> {
    const { signal } = this.#stop
    const { sequence, part } = this.#next ?? {}
    const blocks = this.#format === 'llhls' && sequence !== undefined
    if (!blocks) await delay(RELOAD_MS, undefined, { signal })
    const answer = await ask(blocks ? withQuery(this.#url, `_HLS_msn=${sequence}&_HLS_part=${part}`) : this.#url, {
      signal,
    })
    const quietMs = performance.now() - this.#answeredMs
    this.#answeredMs += quietMs
    if (answer.status === 302 && quietMs > LATE_MS) {
      this.#url = new URL(answer.headers.get('location') ?? '', this.#url).href
      return
    }
    if (answer.status !== 200) throw new Error(`a playlist was answered ${answer.status} ${answer.text}`)
    const kind = { format: this.#format === 'ts' ? 'ts' : 'fmp4', lowLatency: this.#format === 'llhls' } as const
    for (const { rule, detail } of [...validateMediaPlaylist(answer.text, kind), ...this.#history.add(answer.text)]) {
      this.#watch.note(`${rule}: ${detail}`)
    }
    await this.#take(answer)
  }

  /** Loads what is new, in order. */
  async #take(answer: { readonly url: string; readonly text: string }): Promise<void> {
    const playlist = readMediaPlaylist(answer.text)
    const segments = this.#format === 'llhls' ? allSegments(playlist) : playlist.segments
    const first = playlist.segments.at(-1)?.sequence ?? playlist.open?.sequence ?? 0
    const next = (this.#next ??= { sequence: first, part: 0, sizeBytes: 0 })
    if ((segments[0]?.sequence ?? 0) > next.sequence) throw new Error(`segment ${next.sequence} is no longer listed`)
    for (const segment of segments) {
      const { sequence, uri, parts, discontinuity, initUri } = segment
      if (sequence < next.sequence) continue
      if (discontinuity && this.#broken < sequence) {
        this.#broken = sequence
        this.discontinuities += 1
      }
      if (initUri !== undefined && initUri !== this.#initUri) {
        this.#initUri = initUri
        await this.#load(new URL(initUri, answer.url).href)
      }
      for (const part of parts.slice(next.part)) next.sizeBytes += await this.#load(new URL(part.uri, answer.url).href)
      // Parts of older segments are no longer listed: of one that came by some of them, the rest is taken.
      if (parts.length === 0) await this.#load(new URL(uri ?? '', answer.url).href, next.sizeBytes)
      if (uri === undefined) next.part = parts.length
      else Object.assign(next, { sequence: sequence + 1, part: 0, sizeBytes: 0 })
    }
  }

  /** Takes a file from one of its bytes on; returns its size. */
  async #load(url: string, fromByte = 0): Promise<number> {
    const response = await fetch(url, { signal: this.#stop.signal })
    if (response.status !== 200) throw new Error(`${url} was answered ${response.status}`)
    const bytes = Buffer.from(await response.arrayBuffer())
    this.#demux(bytes.subarray(fromByte))
    return bytes.length
  }
}

function fmp4Bytes(watch: UnitWatch): (bytes: Buffer) => void {
  const demuxer = new Fmp4Demuxer(watch)
  return (bytes) => demuxer.push(bytes)
}

function tsBytes(watch: UnitWatch): (bytes: Buffer) => void {
  const demuxer = new TsDemuxer(watch)
  return (bytes) => {
    demuxer.push(bytes)
    demuxer.flush()
  }
}
