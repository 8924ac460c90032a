import type { Subscriber } from 'sluice/sdk'
import type { HlsStream } from '../hls-stream.ts'
import type { HlsStreams } from '../hls-streams.ts'
import { PlaylistCache, type PlaylistRequest, type ReadyReply } from '../http/playlist-cache.ts'
import type { WaitingRequests } from '../http/waiting-requests.ts'
import type { Rendition } from '../presentation/rendition.ts'
import type { SequenceNumbers } from '../presentation/sequence-numbers.ts'
import type { PlaylistSource } from '../sessions/playlist-source.ts'
import { findSplicePoint } from './splice-point.ts'
import { SplicedRendition } from './spliced-rendition.ts'

export type SpliceOptions = {
  /** The stream that the viewer has had so far, which it holds. */
  readonly home: HlsStream
  /** The viewer's requests that wait already. */
  readonly waiting: WaitingRequests
  readonly hlsStreams: Pick<HlsStreams, 'showing' | 'ofFile'>
  readonly subscriber: Pick<Subscriber, 'sourcePath' | 'onClose'>
  /** The path that the viewer requested, under which it gets all files. */
  readonly requestedPath: string
  /** The numbers to continue with, of a session that ended; those of the first presentation unless these are higher. */
  readonly numbers?: SequenceNumbers | undefined
  /** Called when a stream that it reads has changed, where nothing may be thrown; the listener calls {@link Splice.update}. */
  readonly onChange: () => void
}

/** The limits of hls.js: it aborts a low-latency reload after 0.8 target durations, and any after three. */
const MAX_WAIT_SHARE = 0.5

/** A former presentation, and its last segment in the viewer's playlists, by both numbers. */
type Former = { readonly hlsStream: HlsStream; readonly lastMsn: number }

/**
 * The playlists of one viewer that was moved to another stream while the others of its presentation were not. They continue with the
 * segments of that stream's own presentation as soon as it can be played, at the end of the last segment that the viewer knows; until then
 * they stay with the former stream.
 */
export class Splice implements PlaylistSource {
  readonly waiting: WaitingRequests
  readonly #options: SpliceOptions
  readonly #renditions: ReadonlyMap<string, SplicedRendition>
  #current: HlsStream
  /** The stream after the current one; undefined while there is none. */
  #next: HlsStream | undefined
  /** The presentations before the current one with segments that are still listed. */
  #formers: Former[] = []
  /** The functions that remove the listeners of streams. */
  readonly #listening = new Map<HlsStream, () => void>()
  /** True when the last segments of the current stream are known, after which the next one comes. */
  #ending = false
  /** The time since which those segments are waited for. */
  #endingSinceMs: number | undefined
  /** The number of the viewer's last segment before the current stream. */
  #formerMsn = -1
  /** The time by which the media listed since the first switch exceeds the time that has passed. */
  #aheadMs = 0
  #closed = false

  constructor(options: SpliceOptions) {
    const { home, subscriber, hlsStreams } = options
    this.#options = options
    this.#current = home
    this.waiting = options.waiting
    const renditions = new Map<string, SplicedRendition>()
    const terms = {
      window: home.window,
      all: { [Symbol.iterator]: () => renditions.values() },
      isThere: (uri: string) => hlsStreams.ofFile(uri)?.presentation.file(uri) !== undefined,
      isEnded: () => this.ended,
    }
    for (const [name, rendition] of home.presentation.renditions) {
      renditions.set(name, new SplicedRendition(rendition, terms, offsetOf(home, options.numbers)))
    }
    this.#renditions = renditions
    this.#listen(home)
    subscriber.onClose(() => (this.#closed = true))
  }

  get ended(): boolean {
    return this.#current.ended && !this.#goesOn
  }

  get disposed(): boolean {
    return this.#current.disposed && !this.#goesOn
  }

  get targetMs(): number {
    return Math.max(this.#current.targetMs, this.#next?.targetMs ?? 0)
  }

  /** The numbers for the session that continues this one. */
  get nextNumbers(): SequenceNumbers {
    const numbers = [...this.#renditions.values()].map((rendition) => rendition.nextNumbers)
    return {
      msn: Math.max(...numbers.map(({ msn }) => msn)),
      discontinuity: Math.max(...numbers.map(({ discontinuity }) => discontinuity)),
    }
  }

  rendition(name: string): Rendition | undefined {
    for (const rendition of this.#renditions.values()) rendition.take()
    return this.#renditions.get(name)
  }

  playlist(name: string, request: PlaylistRequest): ReadyReply | undefined {
    const rendition = this.rendition(name)
    // No other viewer gets this playlist, so its text is not kept.
    return rendition && new PlaylistCache((options) => rendition.playlist(options), addressOf).reply(request)
  }

  /** Reacts to changes: the viewer may have been moved, or streams have new segments. */
  update(): void {
    this.#choose()
    for (const rendition of this.#renditions.values()) rendition.take()
    if (this.#next?.presentation.ready === true) this.#switchTo(this.#next)
    this.#letGo()
    this.waiting.release()
  }

  /** Does the work that is due by time. */
  tick(nowMs: number): void {
    this.#endingSinceMs = this.#ending ? (this.#endingSinceMs ?? nowMs) : undefined
    // A source that has frozen must not delay the switch.
    if (this.#endingSinceMs !== undefined && nowMs - this.#endingSinceMs > this.targetMs) this.#cutShort()
    this.update()
    this.waiting.expire(nowMs)
  }

  /** Releases all streams that it holds. */
  close(): void {
    this.#closed = true
    this.waiting.expire(Infinity)
    for (const hlsStream of this.#listening.keys().toArray()) this.#ignore(hlsStream)
    for (const { hlsStream } of this.#formers.splice(0)) this.#release(hlsStream)
    if (this.#next !== undefined) this.#release(this.#next)
    this.#next = undefined
    this.#release(this.#current)
  }

  /** True when another stream follows the current one. */
  get #goesOn(): boolean {
    return this.#next !== undefined && !this.#next.ended && this.#next.presentation.failed === undefined
  }

  /** Finds the stream that the viewer is to get. */
  #choose(): void {
    const wanted = this.#closed ? this.#current : this.#wanted()
    const next = wanted === this.#current ? undefined : wanted
    if (next === this.#next) return
    if (next !== undefined) {
      next.hold(this.#options.requestedPath)
      this.#listen(next)
    }
    const former = this.#next
    this.#next = next
    if (former !== undefined) {
      this.#ignore(former)
      this.#release(former)
    }
    this.#ending = false
    for (const rendition of this.#renditions.values()) rendition.limit(Infinity)
  }

  #wanted(): HlsStream {
    const { home, hlsStreams, subscriber } = this.#options
    const { sourcePath } = subscriber
    const isIt = (hlsStream: HlsStream) => !hlsStream.ended && hlsStream.sourcePath === sourcePath
    if (isIt(home)) return home
    if (isIt(this.#current)) return this.#current
    const usual = hlsStreams.showing(sourcePath, home.key)
    if (usual === undefined || !usual.presentation.ready) return usual ?? this.#current
    // The viewer's player knows only the renditions with which it began.
    const names = [...this.#renditions.keys()]
    const known = [...usual.presentation.renditions.keys()]
    return known.join() === names.join() ? usual : (hlsStreams.showing(sourcePath, home.key, names) ?? this.#current)
  }

  /** Continues with the next presentation once all renditions have reached the end of the same segment. */
  #switchTo(next: HlsStream): void {
    const renditions = [...this.#renditions.values()]
    if (!this.#ending) {
      this.#ending = true
      const lastMsn = Math.max(...renditions.map(({ shownMsn }) => shownMsn))
      for (const rendition of renditions) rendition.limit(lastMsn)
    }
    for (const rendition of renditions) rendition.take()
    const isOver = this.#current.ended
    const [main] = renditions
    const source = main && next.presentation.renditions.get(main.name)
    if (main === undefined || source === undefined || !(isOver || renditions.every(({ isAtLimit }) => isAtLimit)))
      return
    const playlist = source.playlist({ skip: false })
    // The wall clocks of streams differ, so their positions relative to the newest media are compared.
    const { newestMs } = source
    const hasParts = playlist.partTargetSeconds !== undefined
    // Players are far enough behind the end to wait for segments of the target duration that they know, but not for longer ones.
    const longerMs = hasParts ? 0 : Math.max(0, playlist.targetDurationSeconds * 1000 - main.targetMs)
    const atMs = newestMs + this.#aheadMs - (isOver ? 0 : main.leftMs) - longerMs
    const maxWaitMs = hasParts ? main.targetMs * MAX_WAIT_SHARE : main.targetMs
    const point = findSplicePoint(playlist, { atMs, newestMs, maxWaitMs })
    if (point === undefined) return
    this.#aheadMs = Math.max(0, atMs - point.startMs)
    const { lastMsn } = main
    this.#ignore(this.#current)
    if (lastMsn > this.#formerMsn) this.#formers.push({ hlsStream: this.#current, lastMsn })
    else this.#release(this.#current)
    this.#formerMsn = lastMsn
    this.#current = next
    this.#next = undefined
    this.#ending = false
    for (const rendition of renditions) {
      const other = next.presentation.renditions.get(rendition.name)
      if (other !== undefined) rendition.switchTo(other, point)
    }
  }

  #cutShort(): void {
    const renditions = [...this.#renditions.values()]
    const openSeconds = Math.max(...renditions.map((rendition) => rendition.openSeconds))
    for (const rendition of renditions) rendition.cutShort(openSeconds)
  }

  /** Releases the presentations that are not listed any more. */
  #letGo(): void {
    const firstMsn = Math.min(...[...this.#renditions.values()].map((rendition) => rendition.firstMsn))
    const [over, listed] = [[], []] as [Former[], Former[]]
    for (const former of this.#formers) (former.lastMsn < firstMsn ? over : listed).push(former)
    this.#formers = listed
    for (const { hlsStream } of over) this.#release(hlsStream)
  }

  #listen(hlsStream: HlsStream): void {
    this.#listening.set(hlsStream, hlsStream.onUpdate(this.#options.onChange))
  }

  #ignore(hlsStream: HlsStream): void {
    this.#listening.get(hlsStream)?.()
    this.#listening.delete(hlsStream)
  }

  #release(hlsStream: HlsStream): void {
    hlsStream.release(this.#options.requestedPath)
  }
}

/** The offset from the numbers of a presentation's playlists to those that a viewer knows. */
function offsetOf({ presentation }: HlsStream, numbers?: SequenceNumbers): SequenceNumbers {
  const playlists = [...presentation.renditions.values()].map((rendition) => rendition.playlist({ skip: false }))
  const first = Math.min(...playlists.map(({ mediaSequence }) => mediaSequence))
  const breaks = Math.min(...playlists.map(({ discontinuitySequence }) => discontinuitySequence))
  return {
    msn: Math.max(0, (numbers?.msn ?? 0) - first),
    discontinuity: Math.max(0, (numbers?.discontinuity ?? 0) - breaks),
  }
}

// Playlists lie a folder below the files, beside the other playlists.
function addressOf(uri: string): string {
  return uri.endsWith('.m3u8') ? uri : `../${uri}`
}
