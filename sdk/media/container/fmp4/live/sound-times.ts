import { AccessUnit } from '../../../access-unit.ts'
import type { Track } from '../../../track.ts'
import { silenceAfter } from './silence.ts'

/** The smallest step of the clock: times come in milliseconds, and the fragment writer evens out less. */
const MIN_STEP_SECONDS = 0.01
/** The time by which a gap may seem shorter than its whole frames, as times are rounded. */
const ROUNDING_SECONDS = 0.002
/** The sound that must be off the clock before the clock moves, and the part more for each second of jitter. */
const PROOF_SECONDS = 0.5
const PROOF_PER_JITTER = 20
const MAX_PROOF_SECONDS = 2.5
/** Sound that is later than this does not jitter: the clock moves at once. */
const MAX_JITTER_SECONDS = 0.2
/** Sound that is farther off is behind a break of the stream, and its time is taken as it is. */
const MAX_GAP_SECONDS = 10
/** The most that a gap is filled with, where a large frame is repeated for want of silence. */
const MAX_FILLED_SIZE_BYTES = 4 * 1024 * 1024

/** A frame as it came: the sound that came before it, and the distance of its time from that. */
type Arrival = { readonly soundSeconds: number; readonly offsetSeconds: number }

type LastFrame = { readonly data: Buffer; readonly endSeconds: number }

/**
 * Gives sound the times of a clock of its own. The clock goes by the duration of the sound that came, so that bursts and
 * jitter cancel out. It moves when all frames of a while came later than its time, or all earlier.
 *
 * Where the clock moves on, silence stands for the frames that are missing: players on Media Source Extensions take a gap of
 * more than a frame for a break, and drop the pictures, too, until the next keyframe (MSE, coded frame processing). Where the
 * clock moves back, frames are left out. A difference of less than a frame stays a gap or an overlap.
 */
export class SoundTimes {
  readonly #durationOf: (frame: AccessUnit) => number | undefined
  /** The newest arrivals, as far back as they can prove that the clock is wrong. */
  readonly #arrivals: Arrival[] = []
  #soundSeconds = 0
  #last: LastFrame | undefined

  /**
   * @param durationOf Seconds of a frame, by its samples; frames of unknown duration keep their own times
   * @param former Sound of the same kind that this goes on from
   */
  constructor(durationOf: (frame: AccessUnit) => number | undefined, former?: SoundTimes) {
    this.#durationOf = durationOf
    this.#last = former && former.#last
  }

  /** Returns the frame at its time, after silence for the gap before it; nothing for a frame that is one too many. */
  next(frame: AccessUnit): AccessUnit[] {
    const { track, dts, data } = frame
    const frameSeconds = this.#durationOf(frame) ?? 0
    const cameSeconds = dts / track.timescale
    const isBreak = Math.abs(cameSeconds - (this.#last?.endSeconds ?? cameSeconds)) > MAX_GAP_SECONDS
    if (isBreak || frameSeconds <= 0) this.#restart()
    this.#note(cameSeconds)
    this.#soundSeconds += frameSeconds
    const last = this.#last
    if (!last) return [frame]
    const stepSeconds = this.#step(cameSeconds - last.endSeconds, frameSeconds)
    if (stepSeconds < 0 && frameSeconds <= ROUNDING_SECONDS - stepSeconds) return []
    const fillers = stepSeconds > 0 ? this.#fillers(track, last, stepSeconds) : []
    return [...fillers, unitAt(track, last.endSeconds + stepSeconds, data)]
  }

  /** Notes that a frame was sent, and where it ends. */
  sent({ data }: AccessUnit, endSeconds: number): void {
    this.#last = { data, endSeconds }
  }

  #fillers(track: Track, { data, endSeconds }: LastFrame, gapSeconds: number): AccessUnit[] {
    const silence = silenceAfter(data, track)
    const silenceSeconds = this.#durationOf(unitAt(track, endSeconds, silence)) ?? gapSeconds
    const frames = Math.floor((gapSeconds + ROUNDING_SECONDS) / silenceSeconds)
    if (frames * silence.length > MAX_FILLED_SIZE_BYTES) return []
    return Array.from({ length: frames }, (_, index) => unitAt(track, endSeconds + index * silenceSeconds, silence))
  }

  #restart(): void {
    this.#arrivals.length = 0
    this.#soundSeconds = 0
    this.#last = undefined
  }

  #note(cameSeconds: number): void {
    const soundSeconds = this.#soundSeconds
    const arrivals = this.#arrivals
    arrivals.push({ soundSeconds, offsetSeconds: cameSeconds - soundSeconds })
    while (arrivals[1] && arrivals[1].soundSeconds <= soundSeconds - MAX_PROOF_SECONDS) arrivals.shift()
  }

  /** Returns the seconds by which the clock moves before a frame that came `lateSeconds` later than its time. */
  #step(lateSeconds: number, frameSeconds: number): number {
    if (lateSeconds > Math.max(MAX_JITTER_SECONDS, frameSeconds)) return lateSeconds
    const arrivals = this.#arrivals
    const newest = arrivals.at(-1)!
    let least = lateSeconds
    let most = lateSeconds
    for (let index = arrivals.length - 1; index >= 0; index -= 1) {
      const { soundSeconds, offsetSeconds } = arrivals[index]!
      const late = lateSeconds + offsetSeconds - newest.offsetSeconds
      least = Math.min(least, late)
      most = Math.max(most, late)
      if (least <= MIN_STEP_SECONDS && most >= -MIN_STEP_SECONDS) return 0
      const proofSeconds = Math.min(PROOF_SECONDS + PROOF_PER_JITTER * (most - least), MAX_PROOF_SECONDS)
      if (newest.soundSeconds - soundSeconds >= proofSeconds) return least > 0 ? least : most
    }
    return 0
  }
}

function unitAt(track: Track, seconds: number, data: Buffer): AccessUnit {
  const dts = Math.round(seconds * track.timescale)
  return AccessUnit.fromData(track, dts, dts, true, data)
}
