import type { Muxer, MuxerFormat, MuxerStart, Track } from 'sluice/sdk'
import type { Logger } from 'pino'
import { selectsTrack, type TrackSelection } from '../track-selection.ts'
import { trackText } from '../track-text.ts'
import { ConfigVersions } from './config-versions.ts'

type AnnouncementsOptions = {
  readonly muxer: Muxer
  readonly format: MuxerFormat
  readonly log: Logger
  readonly selection: TrackSelection
  readonly source: () => MuxerStart
}

/** What a shared muxer tells its sinks of the tracks: at their start, when they had another muxer before, and of changes. */
export class Announcements {
  readonly #options: AnnouncementsOptions
  readonly #versions = new ConfigVersions()
  /** The codecs that the log has named. */
  readonly #leftOut = new Set<string>()
  /** The tracks that the muxer knows, where the sinks would take others as well. */
  #taken: readonly Track[] | undefined
  #startBytes: Buffer | undefined

  constructor(options: AnnouncementsOptions) {
    this.#options = options
    for (const track of this.tracks) this.#versions.note(track)
    for (const track of options.source().tracks) if (selectsTrack(options.selection, track)) this.#sayLeftOut(track)
  }

  /** The tracks that the sinks take. */
  get tracks(): readonly Track[] {
    const { source, selection } = this.#options
    return source().tracks.filter((track) => selectsTrack(selection, track) && this.#carries(track))
  }

  /** The version of the newest configuration. */
  get version(): number {
    return this.#versions.version
  }

  /** Notes a track that came or was configured anew; returns how that compares with what was there before. */
  note(track: Track): 'same' | 'changed' | 'none' {
    // Also of a track that is announced as the same: it is another object.
    this.#startBytes = undefined
    const before = this.#versions.note(track)
    if (before !== 'same') this.#versions.renew(track)
    return before
  }

  /** Whether the sinks get a track that came or was configured anew; one that the format can't carry is named in the log. */
  announces(track: Track): boolean {
    if (!selectsTrack(this.#options.selection, track)) return false
    if (this.#carries(track)) return true
    this.#sayLeftOut(track)
    this.delete(track)
    return false
  }

  delete(track: Track): void {
    this.#versions.delete(track)
    this.#startBytes = undefined
  }

  /** Whether the muxer knows the tracks as they are. */
  get started(): boolean {
    return this.#startBytes !== undefined
  }

  /** Whether the muxer was told of a track, which is one of those that the sinks take. */
  knows(track: Track): boolean {
    return this.#taken === undefined || this.#taken.includes(track)
  }

  /** The start bytes would be others from now on. */
  renewStart(): void {
    this.#startBytes = undefined
  }

  /** Returns what a sink gets first. It is made before the muxer is given anything else, and whenever it would be different. */
  start(): Buffer {
    const { muxer, source, selection } = this.#options
    if (this.#startBytes !== undefined) return this.#startBytes
    const { tracks } = this
    const isLeftOut = (track: Track) => selectsTrack(selection, track) && !tracks.includes(track)
    this.#taken = source().tracks.some(isLeftOut) ? tracks : undefined
    return (this.#startBytes = muxer.start({ tracks, metadata: source().metadata }))
  }

  /** Returns the configuration of the tracks that changed since a version. */
  since(version: number, timeMs: number): Buffer {
    const changed = this.tracks.filter((track) => this.#versions.isNewer(track, version))
    const parts = changed.map((track) => this.#options.muxer.configure(track, timeMs))
    return Buffer.concat(parts.filter((part) => part !== null))
  }

  /** Returns what a sink gets first that another muxer has begun. */
  resume(timeMs: number): Buffer {
    const { muxer, source } = this.#options
    this.start()
    if (muxer.resume === undefined) return this.since(-1, timeMs)
    return muxer.resume({ tracks: this.tracks, metadata: source().metadata }, timeMs)
  }

  #carries(track: Track): boolean {
    return this.#options.format.carries?.(track) ?? true
  }

  #sayLeftOut(track: Track): void {
    if (this.#carries(track) || this.#leftOut.has(track.codec)) return
    this.#leftOut.add(track.codec)
    const { format, log } = this.#options
    log.info({ format: format.name, track: trackText(track) }, 'a track is left out that the format cannot carry')
  }
}
