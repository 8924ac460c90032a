import { InvalidRequest } from '../errors/stream-errors.ts'
import type { AccessUnit } from '../media/access-unit.ts'
import { rescale } from '../media/time/rescale.ts'
import type { Publisher } from '../stream/publisher.ts'
import type { SourceControl, SourcePosition } from '../stream/source-control.ts'
import { PictureRate } from './picture-rate.ts'
import { PlayedTracks } from './played-tracks.ts'
import { PlaybackClock } from './playback-clock.ts'
import type { Recording } from './recording.ts'

/** The lowest speed of a recording. */
const MIN_SPEED = 0.25
/** The highest speed of a recording. */
const MAX_SPEED = 16
/** The shortest wait: a shorter one costs more than it is worth. */
const MIN_WAIT_MS = 5
/** The most units that are due and written in one turn of the event loop; other work gets its turn then. */
const MAX_BURST = 100

/** The options of a {@link PacedPlayer}. */
export type PacedPlayerOptions = {
  /** The number of repetitions; −1 for endless ones. Times continue over repetitions. Default 0. */
  readonly loop?: number
  /** The clock of the playback, in milliseconds; `setTimeout` returns a function that cancels it. Default: the process's clock. */
  readonly clock?: { now(): number; setTimeout(callback: () => void, delayMs: number): () => void }
}

/**
 * Plays a recording into a publisher at its pace; it is the control of the publisher's source. It begins with the `speed` of
 * the publisher's config. At another speed there is no sound, and only keyframes are played when all pictures would be more
 * than `maxfps` a second. A seek or a pause never breaks a picture that others need.
 *
 * ```ts
 * const player = new PacedPlayer(recording)
 * const publisher = await ctx.streams.publish(session, { control: player, personal: true })
 * await player.play(publisher)
 * publisher.close('the recording is over')
 * ```
 */
export class PacedPlayer implements SourceControl {
  readonly #recording: Recording
  readonly #now: () => number
  readonly #setTimeout: (callback: () => void, delayMs: number) => () => void
  readonly #done = Promise.withResolvers<void>()
  readonly #rate = new PictureRate()
  #clock = new PlaybackClock()
  #publisher: Publisher | undefined
  #tracks: PlayedTracks | undefined
  #loops: number
  /** The duration of the repetitions so far. */
  #shiftMs = 0
  #unitsOfLoop = 0
  #speed = 1
  /** The factor by which the publisher divides times. */
  #scale = 1
  #paused = false
  #ended = false
  #atMs = 0
  /** The latest time of any track; earlier units of other tracks are due with it. */
  #newestMs = -Infinity
  /** The unit that was read and is not due. */
  #next: AccessUnit | undefined
  /** A call of the recording, or a wait for subscribers, that is under way; never rejects. */
  #reading: Promise<void> | undefined
  #seeking: Promise<void> | undefined
  #seekToMs: number | undefined
  #keyframesOnly = false
  #keyframeMs = 0
  #cancelTimer: () => void = () => {}

  constructor(recording: Recording, options: PacedPlayerOptions = {}) {
    const { loop = 0, clock = SYSTEM_CLOCK } = options
    this.#recording = recording
    this.#loops = loop
    this.#now = () => clock.now()
    this.#setTimeout = (callback, delayMs) => clock.setTimeout(callback, delayMs)
  }

  /**
   * Declares the tracks and plays. Resolves when the recording is over or the publisher has ended; the caller closes the
   * publisher. Rejects with the error of the recording. A player plays once.
   */
  play(publisher: Publisher): Promise<void> {
    const { speed, scale } = publisher.config
    this.#publisher = publisher
    this.#speed = speed
    this.#scale = scale
    this.#clock = new PlaybackClock(speed)
    this.#tracks = new PlayedTracks(publisher, this.#recording.tracks)
    publisher.tracksComplete()
    if (this.#paused) publisher.setPaused(true)
    publisher.onClose(() => this.#end())
    // A paced source needs no wait: subscribers that come a little late get the units that the stream keeps.
    this.#after(speed === 0 ? publisher.whenTaken() : undefined, () => this.#play())
    return this.#done.promise
  }

  /** Returns the position, as a date when the recording has dates. */
  position(): SourcePosition {
    const { dates, durationMs } = this.#recording
    const told = (ms: number) => dates?.dateOf(ms) ?? ms
    return { atMs: told(this.#atMs), fromMs: told(0), toMs: told(durationMs) }
  }

  /** True while it is paused. */
  get paused(): boolean {
    return this.#paused
  }

  pause(): void {
    this.#paused = true
    this.#cancelTimer()
    this.#publisher?.setPaused(true)
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#clock.reset()
    this.#publisher?.setPaused(false)
    this.#wakeIn(0)
  }

  /**
   * Plays at another speed, from 0.25 to 16. When it slows down after keyframes only, it goes back to the last one.
   * @throws {InvalidRequest} for any other speed
   */
  async setSpeed(speed: number): Promise<void> {
    if (!(speed >= MIN_SPEED && speed <= MAX_SPEED)) {
      throw new InvalidRequest(`the speed must be from ${MIN_SPEED} to ${MAX_SPEED}`)
    }
    this.#speed = this.#scale = speed
    this.#clock.setSpeed(speed, this.#now())
    this.#publisher?.setSpeed(speed)
    const hadKeyframesOnly = this.#keyframesOnly
    this.#keyframesOnly = this.#isTooFast
    if (hadKeyframesOnly && !this.#keyframesOnly) await this.#seekTo(this.#keyframeMs)
    else this.#wakeIn(0)
  }

  /** Continues at the keyframe before a position. Of many seeks at once, the last counts. */
  async seek(positionMs: number): Promise<void> {
    await this.#seekTo(this.#recording.dates?.positionOf(positionMs) ?? positionMs)
  }

  async #seekTo(ms: number): Promise<void> {
    this.#seekToMs = Math.max(0, Math.min(ms, this.#recording.durationMs))
    await (this.#seeking ??= this.#seek())
  }

  async #seek(): Promise<void> {
    try {
      while (this.#seekToMs !== undefined) {
        const positionMs = this.#seekToMs
        this.#seekToMs = undefined
        while (this.#reading !== undefined) await this.#reading
        await this.#recording.seek(positionMs)
        this.#atMs = positionMs
      }
      this.#next = undefined
      this.#newestMs = -Infinity
      this.#clock.reset()
      this.#rate.restart()
      this.#keyframesOnly = this.#isTooFast
      this.#publisher?.discontinuity()
    } finally {
      this.#seeking = undefined
      // The timer fires in a later turn, after the callers of `seek` have been answered.
      this.#wakeIn(0)
    }
  }

  get #isTooFast(): boolean {
    return this.#speed !== 1 && this.#rate.perSecond * this.#speed > (this.#publisher?.config.maxfps ?? Infinity)
  }

  /** Writes the units that are due, and sets the timer for the next one. */
  #play(): void {
    this.#cancelTimer()
    try {
      for (let written = 0; !this.#stands; written++) {
        this.#next ??= this.#read()
        if (this.#next === undefined) return
        this.#newestMs = Math.max(this.#newestMs, this.#timeMs(this.#next))
        const waitMs = this.#clock.waitMs(this.#newestMs, this.#now())
        if (waitMs > 0) return this.#wakeIn(Math.max(waitMs, MIN_WAIT_MS))
        if (written === MAX_BURST) return this.#wakeIn(0)
        const unit = this.#next
        this.#next = undefined
        this.#write(unit)
      }
    } catch (error) {
      this.#end(error)
    }
  }

  get #stands(): boolean {
    return this.#paused || this.#ended || this.#reading !== undefined || this.#seeking !== undefined
  }

  #wakeIn(delayMs: number): void {
    this.#cancelTimer()
    if (!this.#stands && this.#publisher !== undefined)
      this.#cancelTimer = this.#setTimeout(() => this.#play(), delayMs)
  }

  /** Returns the next unit; undefined at the end, and while the recording reads it. */
  #read(): AccessUnit | undefined {
    const read = this.#recording.next()
    if (!(read instanceof Promise)) {
      if (read === undefined) this.#finishLoop()
      return read
    }
    this.#reading = this.#await(read, (unit) => {
      this.#next = unit
      if (unit === undefined) this.#finishLoop()
      else this.#play()
    })
    return undefined
  }

  /** Calls `then` when `work` is over, or at once without work; playback stands still until then. */
  #after(work: Promise<void> | undefined, then: () => void): void {
    if (work === undefined) then()
    else this.#reading = this.#await(work, then)
  }

  async #await<T>(work: Promise<T>, then: (result: T) => void): Promise<void> {
    try {
      const result = await work
      this.#reading = undefined
      then(result)
    } catch (error) {
      this.#reading = undefined
      this.#end(error)
    }
  }

  /** Begins the next repetition, unless this was the last one, or there is nothing to repeat. */
  #finishLoop(): void {
    if (this.#loops === 0 || this.#unitsOfLoop === 0)
      return this.#after(this.#publisher?.whenTaken(), () => this.#end())
    this.#loops--
    this.#unitsOfLoop = 0
    this.#shiftMs += Math.max(this.#recording.durationMs, this.#atMs)
    this.#reading = this.#await(Promise.resolve(this.#recording.seek(0)), () => this.#wakeIn(0))
  }

  #timeMs({ dts, track }: AccessUnit): number {
    return rescale(dts, track.timescale, 1000) + this.#shiftMs
  }

  #write(unit: AccessUnit): void {
    this.#atMs = rescale(unit.dts, unit.track.timescale, 1000)
    this.#unitsOfLoop++
    if (!this.#takes(unit)) return
    const shift = rescale(this.#shiftMs, 1000, unit.track.timescale)
    const track = this.#tracks?.of(unit.track)
    if (track !== undefined) this.#publisher?.write(unit.at(track, unit.dts + shift, unit.pts + shift))
  }

  #takes(unit: AccessUnit): boolean {
    if (unit.track.kind !== 'video') return this.#scale === 1
    this.#rate.count(unit)
    if (unit.keyframe) {
      this.#keyframeMs = this.#atMs
      this.#keyframesOnly = this.#isTooFast
    }
    return unit.keyframe || !this.#keyframesOnly
  }

  #end(error?: unknown): void {
    this.#ended = true
    this.#cancelTimer()
    if (error === undefined) this.#done.resolve()
    else this.#done.reject(error)
  }
}

const SYSTEM_CLOCK = {
  now: () => performance.now(),
  setTimeout(callback: () => void, delayMs: number): () => void {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
