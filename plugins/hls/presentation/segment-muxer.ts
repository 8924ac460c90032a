import type { AccessUnit, Track } from 'sluice/sdk'
import {
  canCarryInFmp4,
  canCarryInTs,
  createInitSegment,
  FragmentWriter,
  MalformedError,
  TsMuxer,
} from 'sluice/sdk/media'

/** The container of a presentation's segments. */
export type SegmentFormat = 'fmp4' | 'ts'

/** The codecs that fragmented MP4 carries, which are most. */
const CODECS = 'H.264, H.265, AV1 or VP9, with AAC, MP3, AC-3, E-AC-3, Opus or FLAC'

/** Turns the units of one rendition and period into the bytes of segments. */
export interface SegmentMuxer {
  /** The init segment, to be read before the segments; undefined when there is none. */
  readonly init: Buffer | undefined
  /** @throws {MalformedError} for a malformed unit, which is then left out */
  write(unit: AccessUnit): void
  /**
   * The bytes written since the last call; undefined when there are none.
   * @param next the unit that follows, which shows the duration of the last one
   */
  take(next: AccessUnit | undefined): { readonly data: Buffer; readonly independent: boolean } | undefined
}

/** True when HLS in the format can carry the track. G.711 is never carried, though both containers have a form for it. */
export function canCarry(format: SegmentFormat, track: Track): boolean {
  if (track.codec === 'pcma' || track.codec === 'pcmu') return false
  if (!(format === 'ts' ? canCarryInTs(track) : canCarryInFmp4(track))) return false
  try {
    createSegmentMuxer(format, [track])
    return true
  } catch (error) {
    if (error instanceof MalformedError) return false
    throw error
  }
}

/** The codecs that a format leaves out, with the reason and advice; without a reason when there are none. */
export function whyLeftOut(format: SegmentFormat, tracks: readonly Track[]) {
  const codecs = tracks.map(({ codec }) => codec)
  return { codecs, reason: codecs.length > 0 ? reasonOf(format, tracks, codecs.join(' and ')) : undefined }
}

function reasonOf(format: SegmentFormat, tracks: readonly Track[], codecs: string): string {
  if (tracks.every((track) => canCarry(format, track))) return `viewers know of no rendition for another ${codecs}`
  if (format === 'ts' && tracks.every((track) => canCarry('fmp4', track))) {
    return `MPEG-TS has no place for ${codecs}; fragmented MP4 has: ask for ?format=fmp4`
  }
  return `HLS has no place for ${codecs}; publish ${CODECS}`
}

/** @throws {MalformedError} when a configuration is malformed */
export function createSegmentMuxer(format: SegmentFormat, tracks: readonly Track[]): SegmentMuxer {
  return format === 'ts' ? new TsSegmentMuxer(tracks) : new Fmp4SegmentMuxer(tracks)
}

class Fmp4SegmentMuxer implements SegmentMuxer {
  readonly init: Buffer
  readonly #writer: FragmentWriter

  constructor(tracks: readonly Track[]) {
    this.init = createInitSegment(tracks)
    this.#writer = new FragmentWriter(tracks)
  }

  write(unit: AccessUnit): void {
    this.#writer.write(unit)
  }

  take(next: AccessUnit | undefined) {
    return this.#writer.flush(next) ?? undefined
  }
}

class TsSegmentMuxer implements SegmentMuxer {
  readonly init = undefined
  readonly #muxer = new TsMuxer()
  readonly #hasVideo: boolean
  #pieces: Buffer[] = []
  #independent: boolean | undefined

  constructor(tracks: readonly Track[]) {
    this.#muxer.start(tracks)
    this.#hasVideo = tracks.some(({ kind }) => kind === 'video')
  }

  write(unit: AccessUnit): void {
    // Each segment begins with the tables.
    const tables = this.#pieces.length === 0 ? this.#muxer.tables() : undefined
    const packets = this.#muxer.mux(unit)
    if (tables) this.#pieces.push(tables)
    this.#pieces.push(packets)
    if (!this.#hasVideo || unit.track.kind === 'video') this.#independent ??= unit.keyframe
  }

  take() {
    if (this.#pieces.length === 0) return undefined
    const data = Buffer.concat(this.#pieces)
    const independent = this.#independent ?? false
    this.#pieces = []
    this.#independent = undefined
    return { data, independent }
  }
}
