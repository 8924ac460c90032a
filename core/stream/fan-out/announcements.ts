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

/** The bytes by which a shared muxer announces the tracks to its sinks: at their start, after another muxer, and for changes. */
export class Announcements {
  readonly #options: AnnouncementsOptions
  readonly #versions = new ConfigVersions()
  /** The codecs that the log has named. */
  readonly #leftOut = new Set<string>()
  /** The tracks that the muxer was started with, where the format can't carry others that the sinks would take. */
  #taken: readonly Track[] | undefined
  #startBytes: Buffer | undefined

  constructor(options: AnnouncementsOptions) {
    this.#options = options
    for (const track of this.tracks) this.#versions.note(track)
    for (const track of options.source().tracks) if (selectsTrack(options.selection, track)) this.#logLeftOut(track)
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

  /** Notes a track that came or was configured anew; returns how its configuration compares with the one in its place before. */
  note(track: Track): 'same' | 'changed' | 'none' {
    // A track that is announced as the same is another object, too.
    this.#startBytes = undefined
    const before = this.#versions.note(track)
    if (before !== 'same') this.#versions.renew(track)
    return before
  }

  /** Returns true when the sinks get a track that came or was configured anew; one that the format can't carry is named in the log. */
  announces(track: Track): boolean {
    if (!selectsTrack(this.#options.selection, track)) return false
    if (this.#carries(track)) return true
    this.#logLeftOut(track)
    this.delete(track)
    return false
  }

  delete(track: Track): void {
    this.#versions.delete(track)
    this.#startBytes = undefined
  }

  /** True when the muxer has started with the present tracks. */
  get started(): boolean {
    return this.#startBytes !== undefined
  }

  /** Returns true when the muxer was started with a track, which is one of those that the sinks take. */
  knows(track: Track): boolean {
    return this.#taken === undefined || this.#taken.includes(track)
  }

  /** Makes the start bytes anew before their next use. */
  renewStart(): void {
    this.#startBytes = undefined
  }

  /** Returns the first bytes of a sink. They are made before the muxer gets anything else, and whenever they would be different. */
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

  /** Returns the first bytes of a sink that another muxer has begun. */
  resume(timeMs: number): Buffer {
    const { muxer, source } = this.#options
    this.start()
    if (muxer.resume === undefined) return this.since(-1, timeMs)
    return muxer.resume({ tracks: this.tracks, metadata: source().metadata }, timeMs)
  }

  #carries(track: Track): boolean {
    return this.#options.format.carries?.(track) ?? true
  }

  #logLeftOut(track: Track): void {
    if (this.#carries(track) || this.#leftOut.has(track.codec)) return
    this.#leftOut.add(track.codec)
    const { format, log } = this.#options
    log.info({ format: format.name, track: trackText(track) }, 'a track is left out that the format cannot carry')
  }
}
