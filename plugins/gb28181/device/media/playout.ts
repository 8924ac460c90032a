import { PES_TIMESCALE, rescale, type AccessUnit } from 'sluice/sdk/media'
import type { Clip, ClipUnit } from './clip.ts'

const TICKS_PER_MS = PES_TIMESCALE / 1000

/** A unit that is due, with the times that it is sent with. */
export type PlayedUnit = {
  readonly unit: AccessUnit
  /** Its presentation time in ticks of 90 kHz. */
  readonly ptsTicks: number
}

export type PlayoutInit = {
  readonly clip: Clip
  readonly nowMs: number
  /** Media after this ends it, in ticks of 90 kHz; without end by default. */
  readonly endTicks?: number
  /** The speed of the media's time; 1 by default. */
  readonly scale?: number
}

/**
 * Plays a clip over and over in the pace of its times. It can be paused, moved (`seek`) and played faster, slower or backwards; the times
 * of units are those of the media, wherever it is moved to. Backwards, keyframes alone are played.
 */
export class Playout {
  readonly #clip: Clip
  readonly #endTicks: number
  #scale: number
  /** The media's time at `#sinceMs`. */
  #baseTicks = 0
  #sinceMs: number
  #isPaused = false
  /** The number of the next unit, over all rounds. */
  #next = 0
  /** The shift of the times by units that were skipped. */
  #shiftTicks = 0

  constructor({ clip, nowMs, endTicks = Infinity, scale = 1 }: PlayoutInit) {
    this.#clip = clip
    this.#sinceMs = nowMs
    this.#endTicks = endTicks
    this.#scale = scale
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  get scale(): number {
    return this.#scale
  }

  /** The media's time in milliseconds. */
  positionMs(nowMs: number): number {
    return this.#positionTicks(nowMs) / TICKS_PER_MS
  }

  /** True once all has been played: the end has come, or the beginning when it plays backwards. */
  hasEnded(nowMs: number): boolean {
    if (this.#isPaused) return false
    if (this.#scale < 0) return this.#next < 0
    return this.#timeOf(this.#next) >= this.#endTicks && this.#positionTicks(nowMs) >= this.#endTicks
  }

  /** Gives out the units whose time has come. */
  take(nowMs: number): PlayedUnit[] {
    const units: PlayedUnit[] = []
    if (this.#isPaused) return units
    const position = this.#positionTicks(nowMs)
    if (this.#scale < 0) {
      for (; this.#next >= 0 && this.#timeOf(this.#next) >= position; this.#next--) {
        if (this.#unitAt(this.#next).isStart) units.push(this.#played(this.#next))
      }
      return units
    }
    for (; this.#timeOf(this.#next) <= position && this.#timeOf(this.#next) < this.#endTicks; this.#next++) {
      units.push(this.#played(this.#next))
    }
    return units
  }

  pause(nowMs: number): void {
    this.#hold(nowMs)
    this.#isPaused = true
  }

  resume(nowMs: number): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#sinceMs = nowMs
  }

  setScale(nowMs: number, scale: number): void {
    this.#hold(nowMs)
    const turns = this.#scale < 0 !== scale < 0
    this.#scale = scale
    if (turns) this.#next = Math.max(0, this.#next + Math.sign(scale))
  }

  /** Goes on at the keyframe before a time of the media. */
  seek(nowMs: number, mediaMs: number): void {
    const wanted = Math.max(0, Math.min(mediaMs * TICKS_PER_MS, this.#endTicks))
    this.#shiftTicks = 0
    const rounds = Math.floor(wanted / this.#clip.durationTicks)
    let index = (rounds + 1) * this.#clip.units.length - 1
    while (index > 0 && (this.#timeOf(index) > wanted || !this.#unitAt(index).isStart)) index -= 1
    this.#next = index
    this.#baseTicks = this.#timeOf(index)
    this.#sinceMs = nowMs
  }

  /** Leaves out what comes before the next keyframe, which takes the time of the next picture. */
  toKeyframe(): void {
    let index = this.#next
    while (!this.#unitAt(index).isStart) index += 1
    const { track } = this.#unitAt(index)
    let replaced = this.#next
    while (this.#unitAt(replaced).track !== track) replaced += 1
    this.#shiftTicks += this.#timeOf(replaced) - this.#timeOf(index)
    this.#next = index
  }

  #hold(nowMs: number): void {
    this.#baseTicks = this.#positionTicks(nowMs)
    this.#sinceMs = nowMs
  }

  #positionTicks(nowMs: number): number {
    return this.#isPaused ? this.#baseTicks : this.#baseTicks + (nowMs - this.#sinceMs) * TICKS_PER_MS * this.#scale
  }

  #unitAt(index: number): ClipUnit {
    return this.#clip.units[index % this.#clip.units.length]!
  }

  #timeOf(index: number): number {
    return this.#offsetOf(index) + (index < 0 ? 0 : this.#unitAt(index).ticks)
  }

  /** The time at which the round of a unit begins. */
  #offsetOf(index: number): number {
    return Math.floor(index / this.#clip.units.length) * this.#clip.durationTicks + this.#shiftTicks
  }

  #played(index: number): PlayedUnit {
    const { unit, track } = this.#unitAt(index)
    const offset = rescale(this.#offsetOf(index), PES_TIMESCALE, track.timescale)
    const moved = unit.at(track, unit.dts + offset, unit.pts + offset)
    return { unit: moved, ptsTicks: rescale(moved.pts, track.timescale, PES_TIMESCALE) }
  }
}
