import type { RecordingBytes } from 'sluice/sdk'
import { isSyncSample, rescale, type MovieTrack, type TrackFragment } from 'sluice/sdk/media'
import { readFragmentIndex } from '../file/fragment-index.ts'
import { readMovie } from '../file/movie-reader.ts'
import type { DownloadSource } from './download-source.ts'
import { cutFragment, type CutWindow } from './fragment-cut.ts'
import { parseFragments, walkFragments, type FoundFragment } from './fragment-walk.ts'

/** A keyframe at which to begin. */
type Start = {
  readonly moofOffset: number
  /** Its decoding time, in ticks of the main track. */
  readonly dts: number
  /** The time at which other tracks begin. */
  readonly pts: number
}
/** The windows by track number. */
type Windows = ReadonlyMap<number, CutWindow>

/** Reads the part of a source that is taken; the source must stay open. */
export class SourceReader {
  readonly tracks: readonly MovieTrack[]
  readonly #bytes: RecordingBytes
  readonly #windows: Windows | undefined
  readonly #moofOffset: number | undefined

  private constructor(bytes: RecordingBytes, tracks: readonly MovieTrack[], windows?: Windows, moofOffset?: number) {
    this.#bytes = bytes
    this.tracks = tracks
    this.#windows = windows
    this.#moofOffset = moofOffset
  }

  /**
   * Finds the part to be taken.
   * @throws {Error} with the defect of the file, or the reason of the signal's abort
   */
  static async open(bytes: RecordingBytes, source: DownloadSource, signal?: AbortSignal): Promise<SourceReader> {
    const { tracks, isFragmented } = await readMovie(bytes, signal)
    if (!isFragmented) throw new Error('the file is no fragmented MP4')
    const main = tracks.find(({ kind }) => kind === 'video') ?? tracks[0]
    const { fromMs, toMs } = source
    if (main === undefined || (fromMs === undefined && toMs === undefined)) return new SourceReader(bytes, tracks)
    const start = fromMs === undefined ? undefined : await findStart(bytes, tracks, main, ticksAt(main, fromMs), signal)
    const toDts = (track: MovieTrack) => (toMs === undefined ? Infinity : ticksAt(track, toMs))
    const windows = new Map(
      tracks.map((track) => [track.trackId, { fromDts: fromDtsOf(track, main, start), toDts: toDts(track) }]),
    )
    return new SourceReader(bytes, tracks, windows, start?.moofOffset)
  }

  /** The fragments that are taken, each cut to the part. */
  async *fragments(): AsyncGenerator<FoundFragment, void> {
    for await (const found of walkFragments(this.#bytes, this.tracks, this.#moofOffset)) {
      if (this.#windows !== undefined && isPast(found.tracks, this.#windows)) return
      yield { ...found, tracks: this.#cut(found.tracks) }
    }
  }

  /** Parses and cuts a fragment that was read again. @throws {MalformedError} when it is malformed */
  parse(content: Buffer, moofOffset: number): TrackFragment[] {
    return this.#cut(parseFragments(content, moofOffset, this.tracks))
  }

  #cut(fragments: readonly TrackFragment[]): TrackFragment[] {
    return fragments.map((fragment) => {
      const window = this.#windows?.get(fragment.trackId)
      return window === undefined ? fragment : cutFragment(fragment, window)
    })
  }
}

/** True when the whole part comes before a fragment. */
function isPast(fragments: readonly TrackFragment[], windows: Windows): boolean {
  return (
    fragments.length > 0 &&
    fragments.every(({ trackId, baseDts = 0 }) => baseDts >= (windows.get(trackId)?.toDts ?? Infinity))
  )
}

/** The keyframe at a time, or the last one before, else the first one; undefined when there is none. */
async function findStart(
  bytes: RecordingBytes,
  tracks: readonly MovieTrack[],
  main: MovieTrack,
  fromPts: number,
  signal: AbortSignal | undefined,
): Promise<Start | undefined> {
  const index = await readFragmentIndex(bytes, main.trackId)
  let start: Start | undefined
  for await (const { moof, tracks: fragments } of walkFragments(
    bytes,
    tracks,
    index?.findLast(({ time }) => time <= fromPts)?.moofOffset,
  )) {
    signal?.throwIfAborted()
    const fragment = fragments.find(({ trackId }) => trackId === main.trackId)
    if (fragment === undefined) continue
    if (start !== undefined && (fragment.baseDts ?? 0) > fromPts) break
    for (const sync of syncsOf(fragment)) {
      if (start === undefined || sync.pts <= fromPts) start = { ...sync, moofOffset: moof.offset }
    }
  }
  // When the first keyframe comes later than requested, the audio before it is taken all the same.
  return start !== undefined && start.pts > fromPts ? { ...start, moofOffset: 0, pts: fromPts } : start
}

function* syncsOf({ baseDts = 0, runs }: TrackFragment): Generator<{ readonly dts: number; readonly pts: number }> {
  let dts = baseDts
  for (const { samples } of runs) {
    for (const sample of samples) {
      if (isSyncSample(sample)) yield { dts, pts: dts + sample.cts }
      dts += sample.durationTicks
    }
  }
}

/** The decoding time of the first sample that is taken from a track, in its ticks. */
function fromDtsOf(track: MovieTrack, main: MovieTrack, start: Start | undefined): number {
  if (start === undefined) return -Infinity
  if (track === main) return start.dts
  return rescale(start.pts + main.shiftTicks, main.timescale, track.timescale) - track.shiftTicks
}

/** A time of the file in ticks of a track, by the times of its fragments. */
function ticksAt({ timescale, shiftTicks }: MovieTrack, ms: number): number {
  return rescale(Math.floor(ms), 1000, timescale) - shiftTicks
}
