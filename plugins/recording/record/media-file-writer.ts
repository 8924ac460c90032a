import type { AccessUnit, MediaTrack, RecordingWriter, Track } from 'sluice/sdk'
import { mainTracks, rescale } from 'sluice/sdk/media'
import type { FileWriter } from 'sluice/sdk'
import { noteCut } from './file-cuts.ts'
import type { FileEntry } from '../catalogue/file-entry.ts'

/** The longest piece without a keyframe. A process that is killed loses one piece. */
const PIECE_MS = 1000
/** The longest duration of a track's last unit, which is taken to last as long as the unit before. */
const MAX_STEP_MS = 1000

type MediaFileWriterOptions = {
  readonly tracks: readonly MediaTrack[]
  readonly writer: RecordingWriter
  readonly file: FileWriter
  readonly entry: FileEntry
  /** The time of the stream at which the file begins, in whole milliseconds. */
  readonly baseMs: number
  /** The time of the file at which its units begin: 0, or the duration that the file had already. */
  readonly offsetMs: number
}

/** The latest time of a track, and the step to it from the time before, in milliseconds. */
type TrackPace = { lastMs: number; stepMs: number }

/** Writes the units of one file piece by piece, with times that count from the beginning of the file. */
export class MediaFileWriter {
  readonly entry: FileEntry
  readonly baseMs: number
  readonly #options: MediaFileWriterOptions
  readonly #tracks: ReadonlyMap<number, Track>
  /** The id of the main track: its keyframes are cuts of the file. */
  readonly #mainId: number | undefined
  readonly #paces = new Map<number, TrackPace>()
  #piece: Buffer[] = []
  #pieceMs: number
  /** The ends of the pieces that may not be written yet, in the file and in the stream; the oldest first. */
  #pieceEnds: { readonly sizeBytes: number; readonly endMs: number }[] = []
  /** The number of units that could not be written. */
  #dropped = 0
  #closed: Promise<void> | undefined

  constructor(options: MediaFileWriterOptions) {
    const { tracks, entry, baseMs, writer } = options
    this.#options = options
    this.entry = entry
    this.baseMs = baseMs
    this.#tracks = new Map(tracks.map((track) => [track.id, track]))
    this.#mainId = mainTracks(tracks)[0]?.id
    this.#pieceMs = baseMs
    if (writer.head.length > 0) this.#piece.push(writer.head)
  }

  get dropped(): number {
    return this.#dropped
  }

  /** The error by which the file has failed; undefined when it has not. */
  get error(): Error | undefined {
    return this.#options.file.error
  }

  /** Returns the date of a time of the stream in this file, in milliseconds since the Unix epoch. */
  dateOf(timeMs: number): number {
    return this.entry.startMs + this.#options.offsetMs + Math.round(timeMs) - this.baseMs
  }

  /** True for a track that the file was begun with. */
  has(track: Track): boolean {
    return this.#tracks.get(track.id) === track
  }

  /**
   * Takes a unit of one of its tracks, at or after its beginning.
   * @param timeMs the decoding time of the unit, in milliseconds of the stream
   * @returns a promise to wait for when the disk is slow
   */
  write(unit: AccessUnit, timeMs: number): Promise<void> | undefined {
    const placed = this.#place(unit)
    let waits: Promise<void> | undefined
    const isBorder = (unit.track.kind === 'video' && unit.keyframe) || timeMs - this.#pieceMs >= PIECE_MS
    if (isBorder && this.#paces.size > 0) {
      waits = this.#endPiece(placed)
      this.#pieceMs = timeMs
    }
    try {
      this.#take(this.#options.writer.write(placed))
    } catch {
      this.#dropped += 1
    }
    if (placed.keyframe && placed.track.id === this.#mainId) noteCut(this.entry.cutsMs, placed)
    this.#count(unit.track.id, timeMs)
    return waits
  }

  /** Writes the units taken so far, since the next file begins with this unit. Late sound may follow. */
  flush(next: AccessUnit): void {
    void this.#endPiece(this.#place(next))
  }

  /**
   * Ends the file. Never rejects; `error` has the failure. Idempotent.
   * @param endMs the time of the stream at which the next file begins; undefined when there is none
   */
  close(endMs?: number): Promise<void> {
    return (this.#closed ??= this.#close(endMs))
  }

  async #close(endMs: number | undefined): Promise<void> {
    const { writer, file, entry, baseMs } = this.#options
    void this.#endPiece()
    const { tail, patches } = writer.finish?.() ?? {}
    if (tail !== undefined) void file.append([tail])
    await file.close(patches)
    const lastMs = file.error === undefined ? (endMs ?? this.#endMs) : this.#writtenEndMs
    entry.endMs = this.dateOf(Math.max(baseMs, lastMs))
    entry.sizeBytes = file.sizeBytes
    entry.isActive = false
  }

  #endPiece(next?: AccessUnit): Promise<void> | undefined {
    const { writer, file, entry } = this.#options
    this.#take(writer.flush(next))
    const piece = this.#piece
    if (piece.length === 0 || file.error !== undefined) return undefined
    this.#piece = []
    const waits = file.append(piece)
    const written = this.#pieceEnds.findLastIndex(({ sizeBytes }) => sizeBytes <= file.sizeBytes)
    this.#pieceEnds = [...this.#pieceEnds.slice(Math.max(0, written)), { sizeBytes: file.endBytes, endMs: this.#endMs }]
    entry.sizeBytes = file.endBytes
    entry.endMs = this.dateOf(this.#endMs)
    return waits
  }

  #take(bytes: Buffer | null): void {
    if (bytes !== null && bytes.length > 0) this.#piece.push(bytes)
  }

  #place(unit: AccessUnit): AccessUnit {
    const { timescale } = unit.track
    const shift = rescale(this.baseMs - this.#options.offsetMs, 1000, timescale)
    const dts = Math.max(0, unit.dts - shift)
    return unit.at(unit.track, dts, dts + unit.pts - unit.dts)
  }

  #count(trackId: number, timeMs: number): void {
    const pace = this.#paces.get(trackId)
    if (pace === undefined) {
      this.#paces.set(trackId, { lastMs: timeMs, stepMs: 0 })
      return
    }
    const stepMs = timeMs - pace.lastMs
    if (stepMs > 0 && stepMs <= MAX_STEP_MS) pace.stepMs = stepMs
    pace.lastMs = Math.max(pace.lastMs, timeMs)
  }

  /** The time of the stream up to which the file is written. */
  get #writtenEndMs(): number {
    const { sizeBytes: wholeBytes } = this.#options.file
    return this.#pieceEnds.findLast(({ sizeBytes }) => sizeBytes <= wholeBytes)?.endMs ?? this.baseMs
  }

  /** The time of the stream up to which units were taken. */
  get #endMs(): number {
    let endMs = this.baseMs
    for (const { lastMs, stepMs } of this.#paces.values()) endMs = Math.max(endMs, lastMs + stepMs)
    return endMs
  }
}
