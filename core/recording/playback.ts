import {
  StreamNotFound,
  type AccessUnit,
  type PlaybackInit,
  type Recording,
  type RecordingBytes,
  type RecordingDates,
  type RecordService,
  type Track,
} from 'sluice/sdk'
import { rescale } from 'sluice/sdk/media'
import type { Logger } from 'pino'
import { messageOf } from '../base/message-of.ts'
import { playbackParts, PlaybackTimes, type PlaybackPart } from './playback-part.ts'
import { PlaybackTracks } from './playback-tracks.ts'
import type { RecordingEntry } from './recording-entry.ts'
import type { RecordingFiles } from './recording-files.ts'

type PlaybackOptions = {
  readonly log: Logger
  /** In the order of their beginnings. */
  readonly entries: readonly RecordingEntry[]
  readonly init: PlaybackInit
  readonly files: Pick<RecordingFiles, 'openBytes'>
  readonly service: (type: string) => RecordService | undefined
  /** Closes the file that is open. */
  readonly signal: AbortSignal
}

/** A file that is read. */
type OpenFile = { readonly recording: Recording; readonly bytes: RecordingBytes }

/**
 * Opens files as one recording.
 * @throws {StreamNotFound} there is none in this time
 * @throws {Error} none of them can be read
 */
export async function openPlayback(options: PlaybackOptions): Promise<Recording> {
  const { entries, init, signal } = options
  const parts = playbackParts(entries, init)
  if (parts.length === 0) throw new StreamNotFound(`nothing of ${init.streamPath} was recorded in this time`)
  for (const [index, part] of parts.entries()) {
    const file = await openFile(options, part)
    if (file === undefined) continue
    const first = await firstUnit(file.recording, part)
    const fromMs = first === undefined ? part.fromMs : Math.min(part.fromMs, timeMsOf(first))
    const playback = new Playback(options, [{ ...part, fromMs }, ...parts.slice(index + 1)], file)
    playback.hold(first)
    signal.addEventListener('abort', () => void playback.close())
    if (signal.aborted) await playback.close()
    return playback
  }
  throw new Error('none of the files can be read')
}

/** The unit that a part begins with, where it does not begin with its file. */
async function firstUnit(recording: Recording, { fromMs }: PlaybackPart): Promise<AccessUnit | undefined> {
  if (fromMs === 0) return undefined
  await recording.seek(fromMs)
  return recording.next()
}

/** Undefined for a file that can't be read, which the log says. */
async function openFile(options: PlaybackOptions, { entry }: PlaybackPart): Promise<OpenFile | undefined> {
  const { log, files, service, signal } = options
  signal.throwIfAborted()
  let bytes: RecordingBytes | undefined
  try {
    const format = service(entry.type)
    if (format === undefined) throw new Error(`no plugin reads recordings of type ${entry.type} at present`)
    bytes = await files.openBytes(entry, signal)
    return { bytes, recording: await format.open(bytes, signal) }
  } catch (error) {
    await bytes?.close()
    signal.throwIfAborted()
    log.warn({ file: entry.filePath, reason: messageOf(error) }, 'a recording is left out that cannot be read')
    return undefined
  }
}

/** Files, one after another, each opened when it is its turn. */
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
  #held: AccessUnit | undefined
  /** Units before this time of the file are left out, up to a keyframe. */
  #skipToMs = -Infinity

  constructor(options: PlaybackOptions, parts: readonly PlaybackPart[], file: OpenFile) {
    this.#options = options
    this.#parts = parts
    this.#times = new PlaybackTimes(parts)
    this.#file = file
    this.dates = this.#times
    this.durationMs = this.#times.durationMs
    this.tracks = file.recording.tracks.map((track) => this.#ownTracks.of(track))
  }

  /** Gives a unit that was read already, before all others. */
  hold(unit: AccessUnit | undefined): void {
    this.#held = unit
  }

  next(): AccessUnit | undefined | Promise<AccessUnit | undefined> {
    for (;;) {
      const file = this.#file
      if (file === undefined) return undefined
      const held = this.#held
      this.#held = undefined
      const unit = held ?? file.recording.next()
      if (unit instanceof Promise) return unit.then((read) => this.#take(read) ?? this.next())
      const taken = this.#take(unit)
      if (taken !== undefined) return taken
    }
  }

  async seek(positionMs: number): Promise<void> {
    const { index, fileMs } = this.#times.placeOf(positionMs)
    if (index !== this.#index || this.#file === undefined) await this.#open(index)
    this.#held = undefined
    this.#skipToMs = -Infinity
    await this.#file?.recording.seek(Math.max(fileMs, this.#part?.fromMs ?? 0))
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.bytes.close()
  }

  get #part(): PlaybackPart | undefined {
    return this.#parts[this.#index]
  }

  /** What is given of a unit; undefined where it is left out. */
  #take(unit: AccessUnit | undefined): AccessUnit | Promise<AccessUnit | undefined> | undefined {
    const part = this.#part
    if (unit === undefined || part === undefined) return this.#goOn()
    const ms = timeMsOf(unit)
    const { track } = unit
    const isMain = track.kind === this.tracks[0]?.kind
    if (part.isCut && ms >= part.toMs) return isMain ? this.#goOn() : undefined
    if (ms < this.#skipToMs) return undefined
    if (this.#skipToMs > -Infinity) {
      if (!isMain || !unit.keyframe) return undefined
      this.#skipToMs = -Infinity
    }
    const shift = rescale(this.#times.shiftMs(this.#index), 1000, track.timescale)
    return unit.at(this.#ownTracks.of(track), unit.dts + shift, unit.pts + shift)
  }

  async #goOn(): Promise<AccessUnit | undefined> {
    await this.#open(this.#index + 1)
    return this.next()
  }

  /** Opens a part, or the first one after it that can be read; there is no file where there is none. */
  async #open(from: number): Promise<void> {
    await this.close()
    for (let index = from; index < this.#parts.length; index++) {
      const part = this.#parts[index]!
      const file = await openFile(this.#options, part)
      if (file === undefined) continue
      this.#index = index
      this.#file = file
      this.#skipToMs = part.isOverlapped ? part.fromMs : -Infinity
      if (part.fromMs > 0) await file.recording.seek(part.fromMs)
      return
    }
    this.#index = this.#parts.length
  }
}

function timeMsOf({ dts, track }: AccessUnit): number {
  return (dts / track.timescale) * 1000
}
