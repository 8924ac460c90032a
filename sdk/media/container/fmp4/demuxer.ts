import { MalformedError } from '../../errors.ts'
import { freeLayer, type Track, type TrackInit } from '../../track.ts'
import type { UnitSink } from '../../unit-sink.ts'
import { BoxStream } from './box-stream.ts'
import type { FileBox } from './box-stream.ts'
import { parseMovieFragment, type TrackFragment } from './fragment.ts'
import { parseMovie, type MovieTrack } from './init-segment.ts'
import { sampleUnit } from './sample-unit.ts'

type OpenTrack = {
  movie: MovieTrack
  /** Undefined until the first unit, where frames configure their track. */
  track: Track | undefined
  /** An init segment came: the next frame of sound shows whether its configuration has changed. */
  renewed: boolean
  /** Decoding time of the next sample, for a fragment that has no time. */
  nextDts: number
  /** The ticks by which units are decoded earlier than the file says, so that none with a negative offset is presented before. */
  earlyTicks: number
}

/**
 * Turns fragmented MP4, as it comes in, into tracks and units: H.264, H.265, AV1, VP9, AAC, Opus, MP3, AC-3, E-AC-3,
 * FLAC and G.711. A unit's times are in the track's own timescale, with what its edit list does to its start, so
 * they can lie below 0. A new init segment changes the tracks, or ends them and begins others.
 *
 * No unit is presented before it is decoded: where a file has it so, all decoding times are moved forward.
 *
 * Units of a fragment come track by track. Samples that are not where the fragment says are dropped and counted.
 */
export class Fmp4Demuxer {
  readonly #sink: UnitSink
  readonly #boxes = new BoxStream()
  readonly #tracks = new Map<number, OpenTrack>()
  readonly #unsupported = new Set<string>()
  #fragments: TrackFragment[] = []
  #droppedUnits = 0

  constructor(sink: UnitSink) {
    this.#sink = sink
  }

  /** The number of units that were dropped, as their bytes are missing or broken. */
  get dropped(): number {
    return this.#droppedUnits
  }

  /** Sample entries that make no track, for example `encv`, which is encrypted. */
  get unsupported(): ReadonlySet<string> {
    return this.#unsupported
  }

  /**
   * Reads the next bytes, which are kept and become part of the units.
   * @throws {MalformedError} when they are no fragmented MP4; the demuxer can't go on afterwards.
   */
  push(bytes: Buffer): void {
    for (const box of this.#boxes.push(bytes)) this.#box(box)
  }

  /** Ends a segment: drops incomplete units, and counts offsets anew from the next byte. */
  flush(): void {
    if (this.#boxes.restart() > 0) this.#dropPending()
    this.#fragments = []
  }

  #box(box: FileBox): void {
    const body = box.bytes.subarray(box.headSizeBytes)
    if (box.type === 'moov') this.#open(parseMovie(body))
    else if (box.type === 'moof') {
      this.#fragments = parseMovieFragment(body, box.offset, (trackId) => this.#tracks.get(trackId)?.movie.defaults)
    } else if (box.type === 'mdat') {
      for (const fragment of this.#fragments) this.#read(fragment, box)
      this.#fragments = []
    }
  }

  #open(movies: readonly MovieTrack[]): void {
    for (const [trackId, { movie, track }] of this.#tracks) {
      const next = movies.find((other) => other.trackId === trackId)
      if (next && isSameTrack(next, movie)) continue
      if (track) this.#sink.removeTrack(track)
      this.#tracks.delete(trackId)
    }
    for (const movie of movies) {
      if (movie.format === undefined) this.#unsupported.add(movie.entryType)
      const open = this.#tracks.get(movie.trackId) ?? {
        movie,
        track: undefined,
        renewed: false,
        nextDts: 0,
        earlyTicks: 0,
      }
      open.movie = movie
      open.renewed = true
      this.#tracks.set(movie.trackId, open)
      if (movie.format?.kind !== 'video') continue
      const { codec, config } = movie.format
      if (open.track) open.track = this.#sink.configureTrack(open.track, config)
      else open.track = this.#add({ kind: 'video', codec, config, ...common(movie) })
    }
  }

  #read({ trackId, baseDts, runs }: TrackFragment, { offset, bytes }: FileBox): void {
    const open = this.#tracks.get(trackId)
    if (open?.movie.format === undefined) return
    let dts = baseDts ?? open.nextDts
    for (const { samples } of runs) for (const { cts } of samples) open.earlyTicks = Math.max(open.earlyTicks, -cts)
    for (const run of runs) {
      let start = run.offset - offset
      for (const { sizeBytes, durationTicks, cts } of run.samples) {
        const end = start + sizeBytes
        if (start < 0 || end > bytes.length || sizeBytes === 0) this.#droppedUnits += 1
        else this.#write(open, dts, dts + cts, bytes.subarray(start, end))
        dts += durationTicks
        start = end
      }
    }
    open.nextDts = dts
  }

  #write(open: OpenTrack, dts: number, pts: number, data: Buffer): void {
    const { movie, earlyTicks } = open
    const { format, shiftTicks } = movie
    if (format === undefined) return
    try {
      const track = this.#trackOf(open, data)
      this.#sink.write(sampleUnit(track, format, dts + shiftTicks - earlyTicks, pts + shiftTicks, data))
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#droppedUnits += 1
    }
  }

  #trackOf(open: OpenTrack, data: Buffer): Track {
    const { movie, renewed } = open
    open.renewed = false
    if (movie.format?.kind === 'audio' && (renewed || open.track === undefined)) {
      const config = movie.format.configure(data)
      if (open.track) open.track = this.#sink.configureTrack(open.track, config)
      else open.track = this.#add({ kind: 'audio', codec: movie.format.codec, config, ...common(movie) })
    }
    if (open.track === undefined) throw new MalformedError('a track without configuration')
    return open.track
  }

  /** Declares a track; the first of a kind is the main one, and the others have a number as their layer. */
  #add(init: TrackInit): Track {
    const others = [...this.#tracks.values()].flatMap(({ track }) => (track?.kind === init.kind ? [track] : []))
    const layer = freeLayer(others.map((track) => track.layer))
    return this.#sink.addTrack(layer === undefined ? init : { ...init, layer })
  }

  #dropPending(): void {
    for (const { runs } of this.#fragments) for (const { samples } of runs) this.#droppedUnits += samples.length
  }
}

function common({ timescale, language }: MovieTrack): { readonly timescale: number; readonly language?: string } {
  return language === undefined ? { timescale } : { timescale, language }
}

/** Returns true when a track goes on in a new init segment, apart from its configuration. */
function isSameTrack(next: MovieTrack, movie: MovieTrack): boolean {
  if (next.timescale !== movie.timescale || next.format?.codec !== movie.format?.codec) return false
  // Sound is configured by its entry or its frames, so the type of the entry must stay.
  return next.format?.kind === 'video' || next.entryType === movie.entryType
}
