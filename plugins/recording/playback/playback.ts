import {
  type AccessUnit,
  messageOf,
  type PlaybackInit,
  type Recording,
  type RecordingBytes,
  type RecordingDates,
  type RecordService,
  SluiceError,
  StreamNotFound,
  type Track,
} from 'sluice/sdk'
import { rescale } from 'sluice/sdk/media'
import type { Logger } from 'pino'
import { PartReader } from './part-reader.ts'
import { playbackParts, PlaybackTimes, type PlaybackPart } from './playback-part.ts'
import { PlaybackTracks } from './playback-tracks.ts'
import type { FileEntry } from '../catalogue/file-entry.ts'
import type { StoredFiles } from '../files/stored-files.ts'

type PlaybackOptions = {
  readonly log: Logger
  /** The files, in the order of their beginnings. */
  readonly entries: readonly FileEntry[]
  readonly init: PlaybackInit
  readonly files: Pick<StoredFiles, 'openBytes'>
  readonly service: (type: string) => RecordService | undefined
  /** Closes the open file when it aborts. */
  readonly signal: AbortSignal
}

/** A file that is being read. */
type OpenFile = { readonly tracks: readonly Track[]; readonly reader: PartReader; readonly bytes: RecordingBytes }

/**
 * Opens files as one recording.
 * @throws {StreamNotFound} there is no file in this time
 * @throws {SluiceError} none of them can be read at present, as the storage is not there
 * @throws {Error} none of them can be read
 */
export async function openPlayback(options: PlaybackOptions): Promise<Recording> {
  const { entries, init, signal } = options
  const parts = playbackParts(entries, init)
  if (parts.length === 0) throw new StreamNotFound(`nothing of ${init.streamPath} was recorded in this time`)
  let failure = new Error('none of the files can be read')
  for (const [index, part] of parts.entries()) {
    const file = await openFile(options, part)
    if (file instanceof Error) {
      if (file instanceof SluiceError) failure = file
      continue
    }
    const { fromMs } = file.reader
    const playback = new Playback(options, [{ ...part, fromMs }, ...parts.slice(index + 1)], file)
    signal.addEventListener('abort', () => void playback.close())
    if (signal.aborted) await playback.close()
    return playback
  }
  throw failure
}

/** Opens the file of a part; logs and returns the error of a file that can't be read. */
async function openFile(options: PlaybackOptions, part: PlaybackPart): Promise<OpenFile | Error> {
  const { log, files, service, signal } = options
  const { entry } = part
  signal.throwIfAborted()
  let bytes: RecordingBytes | undefined
  try {
    const format = service(entry.type)
    if (format === undefined) throw new Error(`no plugin reads recordings of type ${entry.type} at present`)
    bytes = await files.openBytes(entry, signal)
    const recording = await format.open(bytes, signal)
    return { bytes, tracks: recording.tracks, reader: await PartReader.open(recording, part) }
  } catch (error) {
    await bytes?.close()
    signal.throwIfAborted()
    log.warn({ file: entry.filePath, reason: messageOf(error) }, 'a recording is left out that cannot be read')
    return error instanceof Error ? error : new Error(messageOf(error))
  }
}

/** Plays files one after another; each is opened when its turn comes. */
class Playback implements Recording {
  readonly tracks: readonly Track[]
  readonly dates: RecordingDates
  readonly durationMs: number
  readonly #options: PlaybackOptions
  readonly #parts: readonly PlaybackPart[]
  readonly #times: PlaybackTimes
  readonly #ownTracks = new PlaybackTracks()
  #index = 0
  #file: OpenFile | undefined

  constructor(options: PlaybackOptions, parts: readonly PlaybackPart[], file: OpenFile) {
    this.#options = options
    this.#parts = parts
    this.#times = new PlaybackTimes(parts)
    this.#file = file
    this.dates = this.#times
    this.durationMs = this.#times.durationMs
    this.tracks = file.tracks.map((track) => this.#ownTracks.of(track))
  }

  next(): AccessUnit | undefined | Promise<AccessUnit | undefined> {
    const unit = this.#file?.reader.next()
    if (unit instanceof Promise) return unit.then((read) => this.#placed(read))
    return this.#placed(unit)
  }

  async seek(positionMs: number): Promise<void> {
    const { index, fileMs } = this.#times.placeOf(positionMs)
    if (index !== this.#index || this.#file === undefined) await this.#open(index)
    await this.#file?.reader.seek(fileMs)
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.bytes.close()
  }

  /** Returns a unit with the times of the playback; at the end of a file, the first unit of the next file. */
  #placed(unit: AccessUnit | undefined): AccessUnit | Promise<AccessUnit | undefined> | undefined {
    if (unit === undefined) return this.#file === undefined ? undefined : this.#goOn()
    const { track } = unit
    const shift = rescale(this.#times.shiftMs(this.#index), 1000, track.timescale)
    return unit.at(this.#ownTracks.of(track), unit.dts + shift, unit.pts + shift)
  }

  async #goOn(): Promise<AccessUnit | undefined> {
    await this.#open(this.#index + 1)
    return this.next()
  }

  /** Opens a part, or the first one after it that can be read; no file is open when there is none. */
  async #open(from: number): Promise<void> {
    await this.close()
    for (let index = from; index < this.#parts.length; index++) {
      const part = this.#parts[index]!
      const file = await openFile(this.#options, part)
      if (file instanceof Error) {
        this.#options.signal.throwIfAborted()
        continue
      }
      // The playback may have been closed while this file was being opened.
      if (this.#options.signal.aborted) {
        await file.bytes.close()
        this.#options.signal.throwIfAborted()
      }
      this.#index = index
      this.#file = file
      return
    }
    this.#index = this.#parts.length
  }
}
