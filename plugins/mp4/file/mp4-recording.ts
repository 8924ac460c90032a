import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccessUnit, Recording, RecordingBytes, Track } from 'sluice/sdk'
import { MalformedError, sampleUnit, rescale, type Mp4FileTrack, type Mp4Sample } from 'sluice/sdk/media'
import { BlockReader } from './block-reader.ts'
import { FragmentFeed } from './fragment-feed.ts'
import { declareTrack } from './lane-track.ts'
import { readMovie } from './movie-reader.ts'
import { MAX_SAMPLE_SIZE_BYTES, SampleLane } from './sample-lane.ts'

/** The longest time before 0 at which media may begin. */
const MAX_LEAD_IN_MS = 1000
/** The most samples that are skipped in one turn of the event loop. */
const MAX_LEFT_OUT = 1000

type Lanes = { readonly files: readonly Mp4FileTrack[]; readonly carried: readonly SampleLane[] }

/**
 * Reads an MP4 file, plain or fragmented. Units come in the order of their decoding times; damaged samples are left out, and a file that
 * was cut off is played up to its end.
 */
export class Mp4Recording implements Recording {
  readonly tracks: readonly Track[]
  readonly durationMs: number
  /** The sample entries of tracks that can't be carried, such as `mp4v`. */
  readonly unsupported: readonly string[]
  readonly #blocks: BlockReader
  /** The lane in which seeks search: that of video, if there is one. */
  readonly #main: SampleLane
  readonly #others: readonly SampleLane[]
  readonly #feed: FragmentFeed | undefined
  #dropped = 0

  private constructor(blocks: BlockReader, { files, carried }: Lanes, feed: FragmentFeed | undefined) {
    const main = mainOf(carried)
    this.tracks = carried.flatMap(({ track }) => track ?? [])
    this.durationMs = Math.max(0, ...carried.map(({ endMs }) => endMs))
    this.unsupported = files.filter(({ format }) => format === undefined).map(({ entryType }) => entryType)
    this.#blocks = blocks
    this.#main = main
    this.#others = carried.filter((lane) => lane !== main)
    this.#feed = feed
  }

  /**
   * Reads the description of a file.
   * @param times `from-start` makes times begin at 0 when the file begins later
   * @throws {Error} with the defect of the file, or the reason of the signal's abort
   */
  static async open(
    bytes: RecordingBytes,
    signal?: AbortSignal,
    times: 'from-start' | 'as-they-are' = 'from-start',
  ): Promise<Mp4Recording> {
    const { tracks: files, isFragmented } = await readMovie(bytes, signal)
    const lanes = files.filter(({ format }) => format !== undefined).map((file) => new SampleLane(file))
    const blocks = new BlockReader(bytes)
    const openFeed = async (read: readonly SampleLane[]) =>
      isFragmented && read.length > 0 ? FragmentFeed.open(bytes, read, mainOf(read)) : undefined
    const feed = await openFeed(lanes)
    for (const lane of lanes) lane.track = await declareTrack(lane, lanes, blocks)
    const carried = lanes.filter(({ track }) => track !== undefined)
    if (carried.length === 0) {
      const found = files.map(({ entryType }) => entryType).join(', ')
      throw new Error(`the file has no media that can be carried${found === '' ? '' : ` (${found})`}`)
    }
    // A lane that is not played would keep the others from being read on.
    const own = carried.length < lanes.length ? await openFeed(carried) : feed
    if (times === 'from-start') countFromStart(carried)
    return new Mp4Recording(blocks, { files, carried }, own)
  }

  /** The number of samples that were left out: damaged, or made for another configuration than that of their track. */
  get dropped(): number {
    return this.#dropped
  }

  next(): AccessUnit | undefined | Promise<AccessUnit | undefined> {
    for (let leftOut = 0; leftOut < MAX_LEFT_OUT; leftOut++) {
      const filling = this.#feed?.fill()
      if (filling !== undefined) return filling.then(() => this.next())
      const lane = this.#earliest()
      const sample = lane.current
      if (sample === undefined) return undefined
      const data = this.#read(lane, sample)
      lane.advance()
      if (data instanceof Promise) return data.then((bytes) => this.#unit(lane, sample, bytes) ?? this.next())
      const unit = data && this.#unit(lane, sample, data)
      if (unit !== undefined) return unit
    }
    return nextTurn().then(() => this.next())
  }

  async seek(positionMs: number): Promise<void> {
    const main = this.#main
    const feed = this.#feed
    const ms = Math.floor(positionMs)
    const { sizes, durationTicks } = main.file.table
    if (feed !== undefined && (sizes.count === 0 || main.ticksAt(ms) >= durationTicks)) {
      await feed.seek(main.ticksAt(ms))
      for (const lane of this.#others) await this.#skipTo(lane, main.currentMs)
      return
    }
    feed?.restart()
    main.moveTo(main.keyframeAt(ms))
    for (const lane of this.#others) lane.moveToMs(main.currentMs)
  }

  /** Skips the samples before a time in a lane of fragments. */
  async #skipTo(lane: SampleLane, ms: number): Promise<void> {
    while (lane.currentMs < ms) {
      lane.advance()
      if (lane.current === undefined) await this.#feed?.fill()
    }
  }

  /** The lane with the earliest next decoding time; the main one of several. */
  #earliest(): SampleLane {
    let earliest = this.#main
    let earliestMs = earliest.currentMs
    for (const lane of this.#others) {
      const ms = lane.currentMs
      if (ms >= earliestMs) continue
      earliest = lane
      earliestMs = ms
    }
    return earliest
  }

  #read(lane: SampleLane, { offset, sizeBytes, description }: Mp4Sample): Buffer | Promise<Buffer> | undefined {
    const fileBytes = this.#blocks.sizeBytes
    const isThere = offset + sizeBytes <= fileBytes
    if (!isThere && (offset <= fileBytes || lane.lastOffset >= fileBytes)) {
      // The file was cut off, so the rest is missing too.
      lane.skip(true)
      return undefined
    }
    if (isThere && description === 0 && sizeBytes > 0 && sizeBytes <= MAX_SAMPLE_SIZE_BYTES) {
      return this.#blocks.read(offset, sizeBytes)
    }
    this.#dropped += 1
    return undefined
  }

  #unit(lane: SampleLane, sample: Mp4Sample, data: Buffer): AccessUnit | undefined {
    const { track, file } = lane
    if (track === undefined || file.format === undefined) return undefined
    try {
      return sampleUnit(track, file.format, lane.dtsOf(sample), lane.ptsOf(sample), data)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#dropped += 1
      return undefined
    }
  }
}

function mainOf(lanes: readonly SampleLane[]): SampleLane {
  return lanes.find(({ file }) => file.format?.kind === 'video') ?? lanes[0]!
}

/** Makes times begin at 0 when the file begins later, or long before. Media a little before 0 is audio that a decoder needs first. */
function countFromStart(lanes: readonly SampleLane[]): void {
  const startMs = Math.min(...lanes.map(({ startMs: ms }) => ms))
  if (startMs <= 0 && startMs >= -MAX_LEAD_IN_MS) return
  for (const lane of lanes) lane.shiftTicks -= rescale(startMs, 1000, lane.file.timescale)
}
