import { StreamNotFound, StreamUnavailable, type AccessUnit, type Recording, type Recordings } from 'sluice/sdk'
import { mainTracks } from 'sluice/sdk/media'
import { PICTURE_MODE } from '../album/album.ts'
import type { PictureParts } from '../live/stream-pictures.ts'

/** The most pictures that are made at once, by one program if possible. */
const PICTURES_AT_ONCE = 16
const MAX_BYTES_AT_ONCE = 32 * 1024 * 1024
/** The most pictures of a batch. */
const MAX_PICTURES = 100_000

/** The pictures of recordings that are taken. Times are milliseconds since the Unix epoch. */
export type RecordingPicturesInit = {
  readonly streamPath: string
  readonly startMs: number
  readonly endMs: number
  /** The time between pictures; 0 for all keyframes. */
  readonly intervalMs: number
  readonly folder: string
}

type DatedKeyframe = { readonly unit: AccessUnit; readonly atMs: number }

/** Takes pictures of a stream's recordings. */
export class RecordingPictures {
  readonly #parts: PictureParts
  readonly #init: RecordingPicturesInit
  readonly #recordings: Recordings
  #taken = 0
  #leftOut = 0
  #atMs: number

  private constructor(parts: PictureParts, init: RecordingPicturesInit, recordings: Recordings) {
    this.#parts = parts
    this.#init = init
    this.#recordings = recordings
    this.#atMs = init.startMs
  }

  /**
   * Checks that there are recordings.
   * @throws {StreamNotFound} when there are none in this time
   * @throws {StreamUnavailable} when the server records nothing
   */
  static async open(parts: PictureParts, init: RecordingPicturesInit): Promise<RecordingPictures> {
    const recordings = parts.ctx.services.get('recordings')
    if (recordings === undefined) throw new StreamUnavailable('the server records nothing')
    const { streamPath, startMs, endMs } = init
    const files = await recordings.find({ streamPath, startMs, endMs })
    if (files.length === 0) throw new StreamNotFound(`nothing of ${streamPath} was recorded in this time`)
    return new RecordingPictures(parts, init, recordings)
  }

  /** The number of pictures that were taken. */
  get taken(): number {
    return this.#taken
  }

  /** The progress, for operators. */
  get progress(): Readonly<Record<string, string>> {
    const { startMs, endMs } = this.#init
    const percent = Math.round((100 * (this.#atMs - startMs)) / Math.max(1, endMs - startMs))
    return {
      pictures: String(this.#taken),
      leftOut: String(this.#leftOut),
      progress: `${Math.min(100, Math.max(0, percent))} %`,
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const { streamPath, startMs, endMs, intervalMs } = this.#init
    // The signal of the files closes them when all is done, too.
    const reading = new AbortController()
    const stop = () => reading.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    try {
      signal.throwIfAborted()
      const recording = await this.#recordings.open({ streamPath, startMs, endMs }, reading.signal)
      const keyframes = intervalMs === 0 ? allKeyframes(recording) : keyframesEach(recording, startMs, intervalMs)
      await this.#takeAll(keyframes, signal)
    } finally {
      signal.removeEventListener('abort', stop)
      reading.abort(new Error('all pictures are taken'))
    }
  }

  async #takeAll(keyframes: AsyncIterable<DatedKeyframe>, signal: AbortSignal): Promise<void> {
    let group: DatedKeyframe[] = []
    let sizeBytes = 0
    for await (const keyframe of keyframes) {
      signal.throwIfAborted()
      group.push(keyframe)
      sizeBytes += keyframe.unit.sizeBytes
      if (group.length < PICTURES_AT_ONCE && sizeBytes < MAX_BYTES_AT_ONCE) continue
      await this.#take(group, signal)
      if (this.#taken + this.#leftOut >= MAX_PICTURES) return
      group = []
      sizeBytes = 0
    }
    await this.#take(group, signal)
    this.#atMs = this.#init.endMs
  }

  async #take(group: readonly DatedKeyframe[], signal: AbortSignal): Promise<void> {
    const { encoder, album } = this.#parts
    const { streamPath, folder } = this.#init
    const units = group.map(({ unit }) => unit)
    const pictures = await encoder.encodeAll(units, { owner: streamPath, isPatient: true, signal })
    for (const [index, { atMs }] of group.entries()) {
      const jpeg = pictures[index]
      if (jpeg === undefined) this.#leftOut += 1
      else {
        await album.keep({ streamPath, atMs, mode: PICTURE_MODE.batch, folder, jpeg })
        this.#taken += 1
      }
      this.#atMs = atMs
    }
  }
}

/** All keyframes, with the time at which they were recorded. */
async function* allKeyframes(recording: Recording): AsyncGenerator<DatedKeyframe> {
  for (let unit = await nextKeyframe(recording); unit !== undefined; unit = await nextKeyframe(recording)) {
    yield { unit, atMs: dateOf(recording, unit) }
  }
}

/** The keyframe at or before each time, at the given distance from the one before. Times without a recording are skipped. */
async function* keyframesEach(
  recording: Recording,
  startMs: number,
  intervalMs: number,
): AsyncGenerator<DatedKeyframe> {
  let lastMs = -Infinity
  for (let wantedMs = startMs; ;) {
    const positionMs = recording.dates?.positionOf(wantedMs) ?? wantedMs - startMs
    if (positionMs >= recording.durationMs) return
    await recording.seek(positionMs)
    const unit = await nextKeyframe(recording)
    if (unit === undefined) return
    const atMs = dateOf(recording, unit)
    if (atMs > lastMs) yield { unit, atMs }
    lastMs = Math.max(lastMs, atMs)
    wantedMs = Math.max(wantedMs, atMs) + intervalMs
  }
}

async function nextKeyframe(recording: Recording): Promise<AccessUnit | undefined> {
  for (let unit = await recording.next(); unit !== undefined; unit = await recording.next()) {
    if (unit.keyframe && unit.track.kind === 'video' && isMain(recording, unit)) return unit
  }
  return undefined
}

/** True for units of the main track; in recordings of several files, a track with another id may replace it. */
function isMain({ tracks }: Recording, { track }: AccessUnit): boolean {
  const [main] = mainTracks(tracks)
  return main?.id === track.id || !tracks.some(({ id }) => id === track.id)
}

function dateOf({ dates }: Recording, { dtsMs }: AccessUnit): number {
  return dates?.dateOf(dtsMs) ?? dtsMs
}
