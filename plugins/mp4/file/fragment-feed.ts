import type { RecordingBytes } from 'sluice/sdk'
import {
  isSyncSample,
  MalformedError,
  parseMovieFragment,
  type FragmentTime,
  type TrackFragment,
} from 'sluice/sdk/media'
import { BoxWalk } from './box-walk.ts'
import { readFragmentIndex } from './fragment-index.ts'
import type { FragmentSample, SampleLane } from './sample-lane.ts'

const MAX_MOOF_SIZE_BYTES = 16 * 1024 * 1024
/** The most samples that wait for a track without any. */
const MAX_WAITING_SAMPLES = 10_000
/** The most boxes that are read to find fragments. */
const MAX_BOXES = 200_000

/** Reads the fragments of a file as far as their samples are needed. */
export class FragmentFeed {
  readonly #walk: BoxWalk
  readonly #lanes: ReadonlyMap<number, SampleLane>
  /** The lane in which seeks search: that of video, if there is one. */
  readonly #main: SampleLane
  /** The fragments of the main lane, in the order of the file. */
  #index: readonly FragmentTime[] = []
  #isOver = false

  private constructor(bytes: RecordingBytes, lanes: readonly SampleLane[], main: SampleLane) {
    this.#walk = new BoxWalk(bytes)
    this.#lanes = new Map(lanes.map((lane) => [lane.file.trackId, lane]))
    this.#main = main
  }

  /**
   * Finds the fragments of a file, by its table or one by one, sets the beginning and end of each lane, and moves each to its first sample.
   * @throws {Error} when the file can't be read
   */
  static async open(bytes: RecordingBytes, lanes: readonly SampleLane[], main: SampleLane): Promise<FragmentFeed> {
    const feed = new FragmentFeed(bytes, lanes, main)
    const index = await readFragmentIndex(bytes, main.file.trackId)
    const last = index?.at(-1)
    if (last !== undefined) feed.#walk.moveTo(last.moofOffset)
    const found: FragmentTime[] = []
    for (let count = 0; count < MAX_BOXES && !feed.#isOver; count++) {
      const entry = await feed.#load()
      if (entry !== undefined) found.push(entry)
      for (const lane of lanes) lane.skip(false)
    }
    feed.#index = index ?? found
    feed.restart()
    await feed.fill()
    return feed
  }

  /** Begins with the first fragment again, or with the one at an offset. */
  restart(offset = 0): void {
    for (const lane of this.#lanes.values()) {
      lane.skip(false)
      // Fragments without a time continue the one before.
      if (offset === 0) lane.endDts = lane.file.table.durationTicks
    }
    this.#walk.moveTo(offset)
    this.#isOver = false
  }

  /** Reads until each lane has a sample; undefined when nothing has to be read. */
  fill(): Promise<void> | undefined {
    return this.#isOver || !this.#needsMore ? undefined : this.#fill()
  }

  /** Moves the main lane to the keyframe at a time, in its ticks in the file, or to the last one before. */
  async seek(pts: number): Promise<void> {
    const entry = this.#index.findLast(({ time }) => time <= pts) ?? this.#index[0]
    this.restart(entry?.moofOffset)
    for (const lane of this.#lanes.values()) lane.skip(true)
    while (!this.#isOver && this.#main.waiting === 0) await this.#load()
    this.#main.moveToSync(pts)
    await this.fill()
  }

  get #needsMore(): boolean {
    const lanes = [...this.#lanes.values()]
    return (
      lanes.some(({ current }) => current === undefined) && lanes.every(({ waiting }) => waiting < MAX_WAITING_SAMPLES)
    )
  }

  async #fill(): Promise<void> {
    while (!this.#isOver && this.#needsMore) await this.#load()
  }

  /** Reads the next fragment; returns the place of the main lane's keyframe in it, if there is one. */
  async #load(): Promise<FragmentTime | undefined> {
    try {
      const box = await this.#walk.next()
      this.#isOver = box === undefined
      if (box?.type !== 'moof' || box.isCut || box.endOffset - box.offset > MAX_MOOF_SIZE_BYTES) return undefined
      const moof = await this.#walk.read(box)
      const defaultsOf = (trackId: number) => this.#lanes.get(trackId)?.file.defaults
      let entry: FragmentTime | undefined
      for (const fragment of parseMovieFragment(moof, box.offset, defaultsOf)) {
        const lane = this.#lanes.get(fragment.trackId)
        if (lane === undefined) continue
        const { samples, endDts } = samplesOf(fragment, lane.endDts)
        lane.append(samples, endDts)
        const sync = lane === this.#main ? samples.find(({ isSync }) => isSync) : undefined
        if (sync !== undefined) entry = { time: sync.dts + sync.cts, moofOffset: box.offset }
      }
      return entry
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      // The rest of a damaged file can't be searched.
      this.#isOver = true
      return undefined
    }
  }
}

function samplesOf({ baseDts, runs }: TrackFragment, lastEndDts: number) {
  const samples: FragmentSample[] = []
  let dts = baseDts ?? lastEndDts
  for (const run of runs) {
    let { offset } = run
    for (const sample of run.samples) {
      const { sizeBytes, durationTicks, cts } = sample
      samples.push({ offset, sizeBytes, dts, cts, description: 0, isSync: isSyncSample(sample) })
      offset += sizeBytes
      dts += durationTicks
    }
  }
  return { samples, endDts: dts }
}
