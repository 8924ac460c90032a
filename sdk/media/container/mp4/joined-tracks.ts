import { MalformedError, MovieLimitError } from '../../errors.ts'
import { rescale } from '../../time/rescale.ts'
import { serializeBoxes, type Box } from '../fmp4/box.ts'
import type { SampleRun, TrackFragment } from '../fmp4/fragment.ts'
import type { MovieTrack } from '../fmp4/init-segment.ts'
import type { TrackDescription } from '../fmp4/track-box.ts'

/** Between two sources, a gap up to this is taken for none: clocks of walls are not those of media. */
const CONTINUOUS_MS = 100
/** A track that begins no farther than this from where it ended in the source before goes on there. */
const SNAP_MS = 10
/** More than five days of a fragment a second: of each, something has to be kept. */
const MAX_FRAGMENTS = 500_000

/** A track of all sources together. */
export class JoinedTrack implements TrackDescription {
  readonly trackId: number
  readonly kind: TrackDescription['kind']
  readonly width: number
  readonly height: number
  readonly timescale: number
  readonly language: string | undefined
  /** See {@link pcmFrameSizeBytes}. */
  readonly pcmFrameSizeBytes: number | undefined
  /** The end of its last sample, in its ticks; undefined while it has none. */
  endDts: number | undefined
  readonly #entries: { readonly box: Box; readonly bytes: Buffer }[] = []

  constructor(trackId: number, source: MovieTrack) {
    const { kind, width, height, timescale, language } = source
    this.trackId = trackId
    this.kind = kind
    this.width = width
    this.height = height
    this.timescale = timescale
    this.language = language
    this.pcmFrameSizeBytes = pcmFrameSizeBytes(source)
  }

  get entries(): readonly Box[] {
    return this.#entries.map(({ box }) => box)
  }

  /** The number of a sample entry among its own, from 1; one that it does not have yet is added. */
  numberOf(entry: Box): number {
    const bytes = serializeBoxes([entry])
    const known = this.#entries.findIndex((other) => other.bytes.equals(bytes))
    return known >= 0 ? known + 1 : this.#entries.push({ box: entry, bytes })
  }
}

/** The samples of a fragment of one source, as those of a joined track. */
export type PlacedFragment = {
  readonly track: JoinedTrack
  /** The number of their sample entry, from 1. */
  readonly descriptionIndex: number
  /** Decoding time of the first one, in ticks of the joined track. */
  readonly baseDts: number
  /** Durations and composition offsets are in ticks of the joined track; offsets are those of the source. */
  readonly runs: readonly SampleRun[]
}

type Mapping = {
  readonly track: JoinedTrack
  readonly descriptionIndex: number
  /** Ticks a second of the source. */
  readonly timescale: number
  /** Added to the source's times, in its ticks: what its edit list does. */
  readonly editTicks: number
  /** Added to times in ticks of the joined track. */
  shiftTicks: number
}

/** The place of one source among the others. It stays as it is once it was made. */
export class SourcePlacement {
  readonly #mappings: ReadonlyMap<number, Mapping>

  constructor(mappings: ReadonlyMap<number, Mapping>) {
    this.#mappings = mappings
  }

  /**
   * Puts a fragment of the source where it belongs.
   * @throws {MalformedError} when a track of it has no time (`tfdt`).
   */
  place(fragments: readonly TrackFragment[]): PlacedFragment[] {
    return fragments.flatMap((fragment) => {
      const mapping = this.#mappings.get(fragment.trackId)
      if (mapping === undefined || !fragment.runs.some(({ samples }) => samples.length > 0)) return []
      const { track, descriptionIndex, timescale } = mapping
      const start = timeOf(fragment) + mapping.editTicks
      const baseDts = Math.max(0, rescale(start, timescale, track.timescale) + mapping.shiftTicks)
      const runs = timescale === track.timescale ? fragment.runs : rescaled(fragment.runs, start, mapping)
      return [{ track, descriptionIndex, baseDts, runs }]
    })
  }
}

/** A fragmented file. */
export type JoinedSource = {
  readonly tracks: readonly MovieTrack[]
  /** The wall clock's time at its time 0, in milliseconds. */
  readonly startMs: number
}

/**
 * Puts the tracks of several fragmented files one after the other: pictures to pictures, sound to sound, each in the order of
 * its file. G.711 has a track of its own, as a plain file counts its samples otherwise. The first file that has a track gives
 * its timescale and size. Each file begins at its own wall clock time, or at the end of the previous one when that is later,
 * all of its tracks alike; the earliest sample of the first one is at 0.
 */
export class JoinedTracks {
  readonly tracks: JoinedTrack[] = []
  #source: JoinedSource | undefined
  #placement: SourcePlacement | undefined
  /** The wall clock's time at 0, in milliseconds. */
  #originMs: number | undefined
  #count = 0

  /** Begins the next file. */
  begin(source: JoinedSource): void {
    this.#source = source
    this.#placement = undefined
  }

  /** The placement of the file that was begun last; undefined as long as nothing of it was placed. */
  get placement(): SourcePlacement | undefined {
    return this.#placement
  }

  /**
   * Puts the next fragment of the file that was begun last where it belongs. Its first one decides where that is.
   * @throws {MalformedError} as {@link SourcePlacement.place}
   * @throws {MovieLimitError} for more than {@link MAX_FRAGMENTS}.
   */
  place(fragments: readonly TrackFragment[]): PlacedFragment[] {
    this.#count += 1
    if (this.#count > MAX_FRAGMENTS) {
      throw new MovieLimitError(`a file here is made of at most ${MAX_FRAGMENTS} fragments: take a shorter time`)
    }
    const filled = fragments.filter(({ runs }) => runs.some(({ samples }) => samples.length > 0))
    if (filled.length === 0) return []
    this.#placement ??= this.#placementFor(filled)
    const placed = this.#placement.place(fragments)
    for (const { track, baseDts, runs } of placed) {
      track.endDts = baseDts
      for (const { samples } of runs) for (const { durationTicks } of samples) track.endDts += durationTicks
    }
    return placed
  }

  #placementFor(first: readonly TrackFragment[]): SourcePlacement {
    if (this.#source === undefined) throw new RangeError('no file was begun')
    const { tracks, startMs } = this.#source
    const mappings = new Map(tracks.map((track) => [track.trackId, this.#mappingOf(track, tracks)]))
    const starts = first.flatMap((fragment) => {
      const mapping = mappings.get(fragment.trackId)
      return mapping ? [{ mapping, start: timeOf(fragment) + mapping.editTicks }] : []
    })
    const startsMs = starts.map(({ mapping, start }) => (start * 1000) / mapping.timescale)
    this.#originMs ??= startMs + Math.min(...startsMs)
    const wallMs = startMs - this.#originMs
    const lacksMs = starts.flatMap(({ mapping: { track } }, index) =>
      track.endDts === undefined ? [] : [(track.endDts * 1000) / track.timescale - (startsMs[index]! + wallMs)],
    )
    const lackMs = Math.max(...lacksMs)
    const shiftMs = lackMs > -CONTINUOUS_MS ? wallMs + lackMs : wallMs
    for (const mapping of mappings.values()) {
      mapping.shiftTicks = Math.round((shiftMs * mapping.track.timescale) / 1000)
    }
    for (const { mapping, start } of starts) snap(mapping, start)
    return new SourcePlacement(mappings)
  }

  #mappingOf(source: MovieTrack, sources: readonly MovieTrack[]): Mapping {
    const frameSizeBytes = pcmFrameSizeBytes(source)
    const alike = sources.filter((other) => other.kind === source.kind && pcmFrameSizeBytes(other) === frameSizeBytes)
    const candidates = this.tracks.filter(
      (other) => other.kind === source.kind && other.pcmFrameSizeBytes === frameSizeBytes,
    )
    const track = candidates[alike.indexOf(source)] ?? this.#newTrack(source)
    return {
      track,
      descriptionIndex: track.numberOf(source.entries[0]!),
      timescale: source.timescale,
      editTicks: source.shiftTicks,
      shiftTicks: 0,
    }
  }

  #newTrack(source: MovieTrack): JoinedTrack {
    const track = new JoinedTrack(this.tracks.length + 1, source)
    this.tracks.push(track)
    return track
  }
}

/** Returns the bytes that G.711 has of one time, one for each channel; undefined for other codecs. */
function pcmFrameSizeBytes({ format }: MovieTrack): number | undefined {
  const isG711 = format?.codec === 'pcma' || format?.codec === 'pcmu'
  return isG711 && format.kind === 'audio' ? format.configure(Buffer.alloc(0)).channels : undefined
}

function timeOf({ baseDts }: TrackFragment): number {
  if (baseDts === undefined) throw new MalformedError('fragment that does not say when it begins (tfdt)')
  return baseDts
}

function snap(mapping: Mapping, start: number): void {
  const { track, timescale } = mapping
  if (track.endDts === undefined) return
  const base = rescale(start, timescale, track.timescale)
  const offTicks = track.endDts - (base + mapping.shiftTicks)
  if (Math.abs(offTicks) * 1000 <= SNAP_MS * track.timescale) mapping.shiftTicks += offTicks
}

/** Each time is rounded for itself, so that none are added up. */
function rescaled(runs: readonly SampleRun[], start: number, { timescale, track }: Mapping): SampleRun[] {
  const toTrack = (ticks: number) => rescale(ticks, timescale, track.timescale)
  let dts = start
  return runs.map(({ offset, samples }) => ({
    offset,
    samples: samples.map((sample) => {
      const [from, to] = [toTrack(dts), toTrack(dts + sample.durationTicks)]
      const cts = toTrack(dts + sample.cts) - from
      dts += sample.durationTicks
      return { ...sample, durationTicks: to - from, cts }
    }),
  }))
}
