import { AccessUnit, type Track } from 'sluice/sdk'
import { silenceAfter } from './silence.ts'

/** Less is not worth a step: times come in milliseconds, and the fragment writer evens it out. */
const MIN_STEP_SECONDS = 0.01
/** How much a gap of whole frames may seem to be short of them. */
const ROUNDING_SECONDS = 0.002
/** For how much sound to be off the clock before that moves, and how much longer for each second that it jitters by. */
const PROOF_SECONDS = 0.5
const PROOF_PER_JITTER = 20
const MAX_PROOF_SECONDS = 2.5
/** What is later than jitter can be is a gap at once. */
const MAX_JITTER_SECONDS = 0.2
/** Farther off, the stream breaks, and times are taken as they are. */
const MAX_GAP_SECONDS = 10
/** No gap is worth more, where the frame before has to stand for silence. */
const MAX_FILLED_SIZE_BYTES = 4 * 1024 * 1024

/** A frame as it came: how much sound came before it, and how far its time is from that. */
type Arrival = { readonly soundSeconds: number; readonly offsetSeconds: number }

type LastFrame = { readonly data: Buffer; readonly endSeconds: number }

/**
 * Gives sound the times of its own clock, which goes by how much of it came and follows the times that it came with:
 * bursts and jitter come back, and the clock moves when all that came for a while was later than it says, or earlier.
 *
 * Frames that are missing then are filled in with silence, for players on Media Source Extensions take a gap of more
 * than a frame for a break: they drop the pictures, too, until the next keyframe (MSE, coded frame processing). Frames
 * that are too many are left out. What remains, less than a frame, is a gap or an overlap.
 */
export class SoundTimes {
  readonly #durationOf: (frame: AccessUnit) => number | undefined
  /** The newest, as far back as they are of use. */
  readonly #arrivals: Arrival[] = []
  #soundSeconds = 0
  #last: LastFrame | undefined

  /** @param durationOf In seconds, by its samples; frames that do not tell are taken at the times that they came with. */
  constructor(durationOf: (frame: AccessUnit) => number | undefined) {
    this.#durationOf = durationOf
  }

  /** @returns The frame at its time, after what fills the gap before it; nothing if it is to be left out. */
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

  /** How far the clock moves before a frame that came so much later than it says. */
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
