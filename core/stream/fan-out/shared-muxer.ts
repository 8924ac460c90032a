import type { AccessUnit, Muxer, MuxerFormat, MuxerStart, Track } from 'sluice/sdk'
import type { Logger } from 'pino'
import { Announcements } from './announcements.ts'
import { Batch, type Output } from './batch.ts'
import { FlushSchedule } from './flush-schedule.ts'
import { GopCache, type UnitEntry } from '../gop-cache.ts'
import { GopReplay } from './gop-replay.ts'
import { isStart, leadingTrack, selectsUnit, type TrackSelection } from '../track-selection.ts'
import type { SinkQueue } from './sink-queue.ts'
import type { TimeShift } from './time-shift.ts'

type SharedMuxerOptions = {
  readonly format: MuxerFormat
  readonly selection: TrackSelection
  /** Returns the time for which output is gathered, in milliseconds; called when a window begins. */
  readonly windowMs: () => number
  readonly source: () => MuxerStart
  readonly bufferMs: number
  /** The shift of its sinks' times from the stream's; undefined for sinks that were not moved. */
  readonly shift: TimeShift | undefined
  /** The muxer of the same format that the first of its sinks had before, on another stream. */
  readonly former: SharedMuxer | undefined
  readonly log: Logger
}

/**
 * The muxer of one stream in one output format, for all its sinks: a unit is muxed once, the output of one window leaves as
 * one write per sink, and all sinks get the same buffer. It keeps the newest group of pictures in output bytes, so that sinks
 * that join at once share one buffer, too.
 *
 * The cache holds only units that the present configuration decodes, so that start bytes and cache always fit together. For
 * the same reason pending output must be flushed before the source's tracks change.
 */
export class SharedMuxer {
  readonly #options: Omit<SharedMuxerOptions, 'former'>
  readonly #muxer: Muxer
  readonly #cache: GopCache<Output>
  readonly #replay = new GopReplay()
  readonly #queues = new Set<SinkQueue>()
  readonly #announcements: Announcements
  readonly #schedule: FlushSchedule
  readonly #shift: TimeShift | undefined
  readonly #offsetMs: number
  #joining: SinkQueue[] = []
  #pending: Output[] = []
  #leadingTrack: Track | undefined
  #joinScheduled = false
  #failed = false
  #closed = false

  constructor({ former, ...options }: SharedMuxerOptions) {
    // The former muxer is not kept: it would keep its own former one, and so all muxers that its sinks ever had.
    this.#options = options
    this.#shift = options.shift
    this.#offsetMs = options.shift?.offsetMs ?? 0
    this.#muxer = options.format.createMuxer(former && former.#muxer)
    this.#cache = new GopCache(options.bufferMs)
    this.#schedule = new FlushSchedule(options.windowMs, () => this.flush())
    this.#announcements = new Announcements({ ...options, muxer: this.#muxer })
    this.#followLead(false)
  }

  get format(): MuxerFormat {
    return this.#options.format
  }

  get queues(): ReadonlySet<SinkQueue> {
    return this.#queues
  }

  /** Returns true when sinks that another muxer of the format has begun can go on with this one. */
  follows(former: SharedMuxer): boolean {
    return former === this || this.#muxer.follows?.(former.#muxer) !== false
  }

  set bufferMs(bufferMs: number) {
    this.#cache.bufferMs = bufferMs
  }

  /**
   * Announces a track that appeared or was configured anew, unless its configuration is the one announced before.
   * @param streamMs the stream's time
   */
  configure(track: Track, streamMs: number): void {
    const timeMs = streamMs + this.#offsetMs
    if (this.#closed || !this.#announcements.announces(track)) return
    const before = this.#announcements.note(track)
    this.#followLead(before === 'changed')
    if (before === 'same') return
    this.#guard(() => {
      this.#announcements.start()
      const bytes = this.#muxer.configure(track, timeMs)
      if (bytes !== null) this.#pending.push({ bytes, timeMs, sizeBytes: bytes.length, start: false, config: true })
    })
  }

  /** Breaks the continuity: later units do not follow on earlier ones, and sinks go on at the first start point. */
  discontinuity(): void {
    this.#clearCache()
    for (const queue of this.#queues) if (queue.state === 'live') queue.state = 'starting'
  }

  /** Ends the publisher's tracks. Its successor's are announced as far as they differ; sinks go on at a keyframe. */
  sourceEnded(): void {
    this.discontinuity()
    this.#leadingTrack = undefined
    this.#announcements.renewStart()
    this.#failed = false
  }

  removeTrack(track: Track): void {
    this.#announcements.delete(track)
    this.#followLead(false)
  }

  metadataChanged(): void {
    this.#announcements.renewStart()
  }

  /** @param timeMs the unit's decoding time */
  write(unit: AccessUnit, timeMs: number): void {
    const output = this.#output(unit, timeMs)
    if (output === undefined) return
    this.#pending.push(output)
    const waits = unit.track.kind === 'audio' && this.#leadingTrack?.kind === 'video'
    this.#schedule.request(waits ? this.#options.format.soundWaitMs : 0)
  }

  /** Fills the cache with the units that the stream kept before there was a sink. */
  prime(entries: readonly Pick<UnitEntry, 'unit' | 'timeMs'>[]): void {
    for (const { unit, timeMs } of entries) {
      const output = this.#output(unit, timeMs)
      if (output !== undefined) this.#cache.push(output)
    }
  }

  /** Adds a sink; one that another muxer has begun goes on at the next start point. */
  attach(queue: SinkQueue): void {
    this.#queues.add(queue)
    if (queue.begun) return queue.changeMuxer()
    if (queue.startBackMs === undefined) return
    queue.state = 'joining'
    this.#joining.push(queue)
    if (this.#joinScheduled) return
    this.#joinScheduled = true
    setImmediate(() => this.#guard(() => this.#join()))
  }

  /** Removes a sink; returns true when it was the last one. */
  detach(queue: SinkQueue): boolean {
    this.#queues.delete(queue)
    return this.#queues.size === 0
  }

  checkStalls(nowMs: number): void {
    for (const queue of this.#queues) queue.checkStall(nowMs)
  }

  close(): void {
    this.#closed = true
    this.#schedule.cancel()
    this.#pending = []
    this.#joining = []
    this.#clearCache()
  }

  /** Sends the pending output to all sinks. */
  flush(): void {
    this.#schedule.cancel()
    if (this.#pending.length === 0) return
    const batch = new Batch(this.#pending)
    this.#pending = []
    this.#guard(() => this.#deliver(batch))
  }

  #output(unit: AccessUnit, timeMs: number): Output | undefined {
    if (!selectsUnit(this.#options.selection, unit)) return undefined
    if (!this.#announcements.started) this.#guard(() => this.#announcements.start())
    if (!this.#announcements.started || !this.#announcements.knows(unit.track)) return undefined
    const bytes = this.#mux(this.#shift === undefined ? unit : this.#shift.of(unit))
    if (bytes === null) return undefined
    const start = isStart(unit, this.#leadingTrack)
    return { bytes, timeMs: timeMs + this.#offsetMs, sizeBytes: bytes.length, start, config: false }
  }

  // A unit that a format fails on is left out of it, so that the publisher and other formats go on.
  #mux(unit: AccessUnit): Buffer | null {
    try {
      return this.#muxer.mux(unit)
    } catch (error) {
      const format = this.#options.format.name
      if (!this.#failed) this.#options.log.warn({ err: error, format }, 'a unit could not be muxed and is left out')
      this.#failed = true
      return null
    }
  }

  #deliver(batch: Batch): void {
    if (batch.firstStart >= 0) this.#replay.clear()
    for (const output of batch.outputs) if (!output.config) this.#cache.push(output)
    const { version } = this.#announcements
    for (const queue of this.#queues) {
      // A paused sink is not live.
      if (queue.state === 'live') this.#pass(queue, batch, batch.whole, version)
      else if (queue.state !== 'joining' && !queue.paused) this.#resume(queue, batch, version)
    }
  }

  #pass(queue: SinkQueue, batch: Batch, bytes: Buffer, version: number): void {
    if (!queue.accepts(batch.sizeBytes, batch.timeMs)) return queue.fallBehind(batch.units)
    if (queue.state !== 'live') this.#sendConfig(queue, batch)
    this.#send(queue, bytes, batch.timeMs)
    queue.configVersion = version
    queue.state = 'live'
  }

  // A sink goes on at the batch's first start point; one that has skipped, only once its queue has drained.
  #resume(queue: SinkQueue, batch: Batch, version: number): void {
    const skipping = queue.state === 'skipping'
    if (batch.firstStart < 0 || (skipping && queue.queuedBytes > 0)) {
      if (skipping) queue.dropped += batch.units
      return
    }
    if (skipping) queue.dropped += batch.unitsBefore(batch.firstStart)
    this.#pass(queue, batch, batch.from(batch.firstStart), version)
  }

  #sendConfig(queue: SinkQueue, batch: Batch): void {
    const { configVersion: since } = queue
    if (since === this.#announcements.version) return
    const timeMs = batch.outputs[batch.firstStart]?.timeMs ?? batch.timeMs
    if (since < 0 && queue.begun) return this.#continue(queue, batch, timeMs)
    const make = () => this.#announcements.since(since, timeMs)
    this.#send(queue, since < 0 ? this.#announcements.start() : batch.config(since, make), timeMs)
  }

  // A format that can't go on with these tracks ends the sinks that had another muxer, and no others.
  #continue(queue: SinkQueue, batch: Batch, timeMs: number): void {
    try {
      const bytes = batch.config(-1, () => this.#announcements.resume(timeMs))
      this.#send(queue, bytes, timeMs)
    } catch (error) {
      queue.fail('a format could not go on with another stream', error)
    }
  }

  #send(queue: SinkQueue, bytes: Buffer, timeMs: number): void {
    if (bytes.length > 0 && this.#queues.has(queue)) queue.write(bytes, timeMs)
  }

  #join(): void {
    this.#joinScheduled = false
    // The start bytes include the pending configuration, so that goes to the other sinks first.
    if (this.#pending[0]?.config === true) this.flush()
    const joining = this.#joining
    this.#joining = []
    const { entries } = this.#cache
    const timeMs = entries.at(-1)?.timeMs ?? 0
    const replays = new Map<number, readonly Buffer[]>()
    for (const queue of joining) {
      if (!this.#queues.has(queue)) continue
      queue.state = 'starting'
      if (entries.length === 0 || queue.paused) continue
      const index = this.#cache.startIndex(queue.startBackMs ?? 0)
      const replay = replays.get(index) ?? this.#replay.take(entries, index)
      replays.set(index, replay)
      this.#send(queue, this.#announcements.start(), timeMs)
      for (const bytes of replay) this.#send(queue, bytes, timeMs)
      queue.endReplay()
      queue.configVersion = this.#announcements.version
      queue.state = 'live'
    }
  }

  // The tracks have changed: the cache stays useful as long as sinks start at the same track, and it was not configured anew.
  #followLead(changed: boolean): void {
    const leading = leadingTrack(this.#announcements.tracks, this.#options.selection)
    if (changed || leading !== this.#leadingTrack) this.#clearCache()
    this.#leadingTrack = leading
  }

  #clearCache(): void {
    this.#cache.clear()
    this.#replay.clear()
  }

  // Runs work that all sinks need: a format that fails in it ends its sinks, and nothing else.
  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      // A sink that comes later meets the failure again.
      if (this.#queues.size === 0) return
      this.#options.log.error({ err: error, format: this.#options.format.name }, 'a muxer failed')
      for (const queue of this.#queues.values().toArray()) queue.close({ code: 'failed', text: 'failed' })
    }
  }
}
