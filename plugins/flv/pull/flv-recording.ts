import type { Logger } from 'pino'
import type { AccessUnit, Recording, RecordingBytes, Track, TrackInit } from 'sluice/sdk'
import { SourceError } from 'sluice/sdk/http'
import {
  FLV_TAG_TYPE,
  FlvTagDemuxer,
  MalformedError,
  onMetaDataFields,
  parseScriptData,
  type AmfObject,
} from 'sluice/sdk/media'
import { ExpectedTracks } from './expected-tracks.ts'
import { placesOf } from './keyframes.ts'
import { PlaceSearch } from './place-search.ts'
import { TagReader, type PlacedTag } from './tag-reader.ts'
import { TrackEnd } from './track-end.ts'

/** The size of a recording's beginning in which an announced track must begin; else it is left out. */
const PROBE_SIZE_BYTES = 8 * 1024 * 1024
/** The number of units in which an announced track must begin, when units are small. */
const PROBE_UNITS = 5000
/** The limit of metadata; larger one is not read. */
const MAX_METADATA_SIZE_BYTES = 2 * 1024 * 1024
/** The most tags with decoder configurations that are kept for seeks, and the most bytes of each. */
const MAX_SETUP_TAGS = 64
const MAX_SETUP_SIZE_BYTES = 16 * 1024

export type FlvRecordingInit = {
  readonly bytes: RecordingBytes
  readonly log: Logger
  /** The time of its last tag, if it is known. */
  readonly lastTagMs?: number | undefined
  /** The milliseconds of media in which an announced track must begin. Default without such a limit. */
  readonly missingTrackMs?: number | undefined
}

/**
 * An FLV with an end, read block by block for a `PacedPlayer`. It is played as far as it can be read; damage before its end is logged. Its
 * units' times are milliseconds from its beginning.
 */
export class FlvRecording implements Recording {
  readonly tracks: Track[] = []
  readonly #bytes: RecordingBytes
  readonly #log: Logger
  readonly #lastTagMs: number | undefined
  readonly #expected: ExpectedTracks
  readonly #unsupported: string[] = []
  readonly #setup: PlacedTag[] = []
  readonly #search: PlaceSearch
  readonly #end = new TrackEnd()
  /** The units that came before its tracks were known, with the offsets of their tags. */
  readonly #early: { readonly unit: AccessUnit; readonly offset: number }[] = []
  #metadata: AmfObject | undefined
  #reader: TagReader
  #demuxer: FlvTagDemuxer
  /** The tag that is being demuxed. */
  #tag: PlacedTag | undefined
  #units: AccessUnit[] = []
  #isOpen = false
  /** The timestamp of its beginning. */
  #startMs = 0
  #startOffset = 0
  #isRestarting = false
  #hasEnded = false
  #isReported = false

  private constructor({ bytes, log, lastTagMs, missingTrackMs = Infinity }: FlvRecordingInit) {
    this.#bytes = bytes
    this.#log = log
    this.#lastTagMs = lastTagMs
    this.#expected = new ExpectedTracks(missingTrackMs)
    this.#search = new PlaceSearch(bytes)
    this.#reader = new TagReader(bytes)
    this.#demuxer = this.#createDemuxer()
  }

  /**
   * Reads its beginning, until its tracks are known.
   * @throws {SourceError} when it is not FLV, or has no track that can be carried
   */
  static async open(init: FlvRecordingInit): Promise<FlvRecording> {
    const recording = new FlvRecording(init)
    await recording.#probe()
    return recording
  }

  /** The fields of its `onMetaData`, without its index and other compound values. */
  get metadata(): AmfObject | undefined {
    return this.#metadata && describing(this.#metadata)
  }

  get durationMs(): number {
    if (this.#hasEnded) return this.#end.ms
    const seconds = this.#metadata?.['duration']
    const toldMs = typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : 0
    return Math.max(this.#lastTagMs === undefined ? toldMs : this.#lastTagMs - this.#startMs, this.#end.ms)
  }

  next(): AccessUnit | undefined | Promise<AccessUnit | undefined> {
    try {
      while (this.#units.length === 0) if (!this.#demuxNext()) return this.#readOn()
      return this.#units.shift()
    } catch (error) {
      return this.#broken(error)
    }
  }

  async seek(positionMs: number): Promise<void> {
    const place = positionMs <= 0 ? undefined : await this.#search.find(positionMs + this.#startMs, this.#hasPictures)
    this.#restart(place ?? this.#startOffset)
  }

  async #probe(): Promise<void> {
    let damage: string | undefined
    try {
      while (!this.#knowsTracks()) if (!this.#demuxNext() && !(await this.#reader.fill())) break
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      damage = error.message
    }
    if (this.tracks.length === 0) throw new SourceError(this.#nothingThere(damage))
    this.#isOpen = true
    if (this.#early.length > 0) this.#startMs = Math.min(...this.#early.map(({ unit }) => unit.dts))
    for (const { unit, offset } of this.#early.splice(0)) this.#take(unit, offset)
  }

  /** True when no more tracks are expected after the latest tag. */
  #knowsTracks(): boolean {
    if (this.#reader.offset - this.#startOffset > PROBE_SIZE_BYTES || this.#early.length >= PROBE_UNITS) return true
    const { timestampMs } = this.#tag ?? { timestampMs: 0 }
    return this.#expected.areComplete(this.#demuxer, timestampMs) && this.#early.length > 0
  }

  #nothingThere(damage: string | undefined): string {
    if (damage !== undefined) return `the source is no FLV: ${damage}`
    const found = this.#unsupported.length === 0 ? '' : ` (${this.#unsupported.join(', ')})`
    return `the source has no track that can be carried${found}`
  }

  async #readOn(): Promise<AccessUnit | undefined> {
    try {
      while (this.#units.length === 0) {
        if (this.#demuxNext() || (await this.#reader.fill())) continue
        return this.#finish(this.#reader.isCutOff ? 'it ends within a tag' : undefined)
      }
      return this.#units.shift()
    } catch (error) {
      return this.#broken(error)
    }
  }

  #broken(error: unknown): undefined {
    if (error instanceof MalformedError) return this.#finish(error.message)
    throw error
  }

  #finish(damage: string | undefined): undefined {
    this.#hasEnded = true
    if (damage === undefined || this.#isReported) return
    this.#isReported = true
    const place = { offset: this.#reader.offset, atMs: this.#end.ms }
    this.#log.warn({ damage, ...place }, 'the recording is played up to where it can be read')
  }

  /** Demuxes the next tag that was read; false when there is none. */
  #demuxNext(): boolean {
    const tag = this.#reader.take()
    if (tag === undefined) return false
    this.#tag = tag
    this.#startOffset ||= tag.offset
    this.#demux(tag)
    return true
  }

  #demux({ type, timestampMs, body }: PlacedTag): void {
    if (type === FLV_TAG_TYPE.video) this.#demuxer.video(timestampMs, body)
    else if (type === FLV_TAG_TYPE.audio) this.#demuxer.audio(timestampMs, body)
    else if (!this.#isOpen) this.#readMetadata(body)
  }

  #readMetadata(body: Buffer): void {
    if (body.length > MAX_METADATA_SIZE_BYTES) return
    try {
      const fields = onMetaDataFields(parseScriptData(body))
      if (fields === null) return
      this.#metadata = fields
      this.#expected.announce(fields)
      this.#search.give(placesOf(fields, this.#bytes.sizeBytes))
    } catch (error) {
      // The index of a long recording may have more values than the parser reads; it is not needed.
      this.#log.debug({ err: error }, 'the metadata of the recording is not read')
    }
  }

  #createDemuxer(): FlvTagDemuxer {
    return new FlvTagDemuxer(
      {
        addTrack: (init) => this.#addTrack(init),
        configureTrack: (track, config) => {
          this.#keepSetup()
          return { ...track, config }
        },
        removeTrack: () => {},
        write: (unit) => this.#write(unit),
        lost: () => {},
      },
      (codecName) => this.#leaveOut(codecName),
    )
  }

  /** A track keeps its id when reading begins again. */
  #addTrack(init: TrackInit): Track {
    this.#keepSetup()
    const known = this.tracks.find(
      ({ kind, codec, layer }) => kind === init.kind && codec === init.codec && layer === init.layer,
    )
    const track = { ...init, id: known?.id ?? this.tracks.length }
    if (known !== undefined) return track
    if (this.#isOpen) this.#leaveOut(`a later track of ${init.codec}`)
    else this.tracks.push(track)
    return track
  }

  #leaveOut(what: string): void {
    if (this.#unsupported.includes(what)) return
    this.#unsupported.push(what)
    this.#log.warn({ codec: what }, 'a track of the recording is left out')
  }

  #keepSetup(): void {
    const tag = this.#tag
    if (tag === undefined || this.#isRestarting || tag.offset <= (this.#setup.at(-1)?.offset ?? 0)) return
    if (this.#setup.length === MAX_SETUP_TAGS || tag.body.length > MAX_SETUP_SIZE_BYTES) return
    this.#setup.push({ ...tag, body: Buffer.from(tag.body) })
  }

  #write(unit: AccessUnit): void {
    const { offset = 0 } = this.#tag ?? {}
    if (this.#isRestarting) return
    if (this.#isOpen) this.#take(unit, offset)
    else this.#early.push({ unit, offset })
  }

  #take(unit: AccessUnit, offset: number): void {
    const { track, dts, pts, keyframe } = unit
    const leads = track.kind === 'video' || !this.#hasPictures
    if (leads && keyframe) this.#search.see(dts, offset)
    const placed = unit.at(track, dts - this.#startMs, pts - this.#startMs)
    this.#end.count(placed)
    this.#units.push(placed)
  }

  get #hasPictures(): boolean {
    return this.tracks.some(({ kind }) => kind === 'video')
  }

  /** Begins to read at a tag, with the decoder configurations that are valid there. */
  #restart(offset: number): void {
    this.#units = []
    this.#reader = new TagReader(this.#bytes, offset)
    this.#demuxer = this.#createDemuxer()
    this.#isRestarting = true
    for (const tag of this.#setup) if (tag.offset < offset) this.#demux(tag)
    this.#isRestarting = false
  }
}

function describing(metadata: AmfObject): AmfObject {
  const plain = ['string', 'number', 'boolean']
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => plain.includes(typeof value)))
}
