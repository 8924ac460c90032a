import { isDeepStrictEqual } from 'node:util'
import { Unsupported } from '../errors/stream-errors.ts'
import type { AccessUnit } from '../media/access-unit.ts'
import type { Muxer, MuxerFormat } from '../media/muxer.ts'
import { rescale } from '../media/time/rescale.ts'
import type { Track } from '../media/track.ts'
import type { Recording } from './recording.ts'

/** The size of a buffer of output; a larger unit makes a larger one. */
const CHUNK_SIZE_BYTES = 64 * 1024

/**
 * Yields the bytes of a recording in a format, as fast as they are requested. Tracks that the format can't carry are left out, as are
 * broken units.
 * @param offsetMs the milliseconds that are added to the times of the recording, which begin at 0
 * @throws {Unsupported} when the format can carry none of the tracks
 */
export function muxRecording(recording: Recording, format: MuxerFormat, offsetMs = 0): AsyncGenerator<Buffer, void> {
  const tracks = new MuxedTracks(format, recording.tracks)
  if (tracks.all.length === 0) {
    const codecs = recording.tracks.map(({ codec }) => codec).join(' and ')
    throw new Unsupported(`${format.name} has no place for ${codecs}`)
  }
  return chunksOf(recording, tracks, offsetMs)
}

async function* chunksOf(recording: Recording, tracks: MuxedTracks, offsetMs: number): AsyncGenerator<Buffer, void> {
  let pieces = [tracks.start()]
  let sizeBytes = 0
  for (;;) {
    const next = recording.next()
    const unit = next instanceof Promise ? await next : next
    if (unit === undefined) break
    const { track } = unit
    const shift = rescale(offsetMs, 1000, track.timescale)
    for (const piece of tracks.mux(unit.at(track, unit.dts + shift, unit.pts + shift))) {
      pieces.push(piece)
      sizeBytes += piece.length
    }
    if (sizeBytes < CHUNK_SIZE_BYTES) continue
    yield Buffer.concat(pieces)
    pieces = []
    sizeBytes = 0
  }
  if (pieces.length > 0) yield Buffer.concat(pieces)
}

/** The tracks of a muxer, which follow the tracks of the units. */
class MuxedTracks {
  readonly #format: MuxerFormat
  readonly #muxer: Muxer
  #tracks: readonly Track[] = []

  constructor(format: MuxerFormat, tracks: readonly Track[]) {
    this.#format = format
    this.#muxer = format.createMuxer()
    this.#tracks = tracks.filter((track) => this.#carries(track))
  }

  get all(): readonly Track[] {
    return this.#tracks
  }

  start(): Buffer {
    return this.#muxer.start({ tracks: this.#tracks, metadata: {} })
  }

  *mux(unit: AccessUnit): Generator<Buffer> {
    const { track } = unit
    if (!this.#tracks.includes(track)) {
      if (!this.#carries(track)) return
      const announcement = this.#replace(track, unit)
      if (announcement !== null) yield announcement
    }
    try {
      const bytes = this.#muxer.mux(unit)
      if (bytes !== null) yield bytes
    } catch {
      // A unit that can't be written is left out; the next ones may be whole.
    }
  }

  /** Puts a track in the place of the one with its id, or of the one of its kind and layer. */
  #replace(track: Track, { dts }: AccessUnit): Buffer | null {
    const { id, kind, layer, timescale } = track
    const former = this.#tracks.find((known) => known.id === id)
    const others = this.#tracks.filter((known) =>
      former === undefined ? known.kind !== kind || known.layer !== layer : known !== former,
    )
    this.#tracks = [...others, track]
    this.start()
    if (isDeepStrictEqual(former?.config, track.config)) return null
    return this.#muxer.configure(track, rescale(dts, timescale, 1000))
  }

  #carries(track: Track): boolean {
    const { data = false } = this.#format
    return (track.kind !== 'data' || data) && this.#format.carries?.(track) !== false
  }
}
