import { rescale } from '../time/rescale.ts'
import { ShortestDelay } from './shortest-delay.ts'
import { StandingClock } from './standing-clock.ts'

/**
 * The largest offset by reports that does not move a track: less than is noticed (EBU R 37), and more than the frame of sound
 * by which GStreamer's reports are off now and then.
 */
export const RTP_MAX_OFFSET_MS = 40
/** Steps of the RTP times, and offsets by reports, beyond which something else than the clocks' pace is the reason. */
const RTP_MAX_STEP_MS = 10_000

/** A track that is this far from the arrival of its frames has a clock of another pace than its clock rate: arrival holds from then on. */
const MAX_DRIFT_MS = 2000
/** The age at which a track is judged first, so that its delays are those of some seconds. */
const MIN_DRIFT_AGE_MS = 3000
/** A clock rate is wrong when reports show a pace of the RTP times that differs by more than this part. */
const MAX_PACE_ERROR = 0.25
/** Reports that are nearer to each other don't show a pace. */
const MIN_PACE_MS = 1000

/** One instant, by a sender report. */
type ClockReport = { readonly ntpMs: number; readonly time: number }

/** The timeline that the tracks of one source share; all others are put in step with its leader. */
type RtpTimeline = { leader: RtpTrackClock | undefined }

/**
 * Puts the RTP times of several media of one source, each of which has a start and a pace of its own (RFC 3550 5.1), on one
 * timeline. It begins with the first frame that is placed, at 0, and goes on by the clock of one track, the leader: that of
 * pictures where there is one, which then never jerk, else the first.
 *
 * Until there are sender reports (RFC 3550 6.4.1) of two tracks, they are put in step by the arrival of their frames: of the
 * first ones, and once it is known which of them came the quickest, of those. A track that is 2 s off by arrival has a clock
 * of another pace than its clock rate; it then follows the arrival of its newest frames. Frames have the time of their
 * arrival when the RTP times of their track stand still, also where it leads.
 */
export class RtpClock {
  readonly #timeline: RtpTimeline = { leader: undefined }

  /**
   * Adds a track.
   * @param clockRate ticks a second of its RTP times
   * @param leads the others follow it, also those that came before; the first that does so leads
   */
  track(clockRate: number, leads = false): RtpTrackClock {
    return new RtpTrackClock(clockRate, leads, this.#timeline)
  }
}

/** The clock of one track; `RtpClock.track` makes it. */
export class RtpTrackClock {
  readonly #clockRate: number
  readonly #leads: boolean
  readonly #timeline: RtpTimeline
  #started = false
  /** The RTP time of the last frame, without wraps. */
  #last = 0
  #lastMs = 0
  /** The ticks by which the last frame was to be decoded, and so sent, before it was shown. */
  #lastAheadTicks = 0
  /** The offset from RTP times without wraps, with the time that is added while they stand still, to the timeline. */
  #shift = 0
  readonly #standing = new StandingClock()
  #report: ClockReport | undefined
  /** A report that is far off those before it. */
  #strayReport: ClockReport | undefined
  readonly #delay = new ShortestDelay()
  /** It follows the arrival of the newest frames. */
  #drifts = false
  #startedMs = 0
  /** The number of reports in a row that show another clock rate. */
  #oddPaces = 0
  #correctedMs = 0

  constructor(clockRate: number, leads: boolean, timeline: RtpTimeline) {
    this.#clockRate = clockRate
    this.#leads = leads
    this.#timeline = timeline
  }

  /** The sum of the track's moves into step so far; see `AccessUnit.correctedMs`. */
  get correctedMs(): number {
    return this.#correctedMs
  }

  /**
   * Takes a sender report, before or while frames are placed. It is left aside where its RTP time is beyond 10 s of the last
   * frame, and where its NTP time is beyond 10 s of that by the reports before it, unless the next one agrees with it.
   * @param ntpMs milliseconds since the Unix epoch; undefined where the sender has no clock
   */
  report(ntpMs: number | undefined, rtpTimestamp: number): void {
    if (ntpMs === undefined) return
    const last = this.#started ? this.#last : (this.#report?.time ?? rtpTimestamp)
    const report = { ntpMs, time: unwrapNear(rtpTimestamp, last) }
    if (this.#started && !this.#isNear(report.time - last)) return
    this.#checkPace(report)
    if (this.#agree(this.#report, report) || this.#agree(this.#strayReport, report)) {
      this.#report = report
      this.#strayReport = undefined
    } else if (this.#report === undefined) {
      this.#report = report
    } else {
      this.#strayReport = report
    }
  }

  /**
   * Returns the time of a frame on the timeline in ticks of this track's clock rate, an integer that never wraps; it is
   * below 0 for what comes before the first frame of all.
   *
   * From one frame to the next it goes on, or back, by the difference of the RTP times, but for a correction: the track is
   * not the leader, and reports, or arrivals where there are none, show that it is more than 40 ms and at most 10 s out of
   * step. It then moves into step at once. A difference that is beyond ±10 s, and beyond ±10 s of the time that passed
   * between the frames, is taken as a new start of the source, which goes on at the leader's time by arrival.
   * @param nowMs the arrival of the frame, by a clock of any start, the same for all tracks
   * @param aheadTicks the ticks by which the frame is decoded, and so sent, before it is shown
   */
  place(timestamp: number, nowMs: number, aheadTicks = 0): number {
    const step = (timestamp - this.#last) | 0
    if (!this.#started || this.#isJump(step, nowMs)) {
      this.#start(timestamp, nowMs, aheadTicks)
    } else {
      this.#last += step
      this.#arrive(nowMs, aheadTicks)
      this.#align(RTP_MAX_OFFSET_MS, nowMs)
    }
    this.#lastMs = nowMs
    this.#lastAheadTicks = aheadTicks
    return this.#time
  }

  /** The wall clock's time of an RTP time in milliseconds since the Unix epoch; undefined before the first report. */
  ntpMsAt(timestamp: number): number | undefined {
    const report = this.#report
    if (report === undefined) return undefined
    return report.ntpMs + this.#toMs((timestamp - report.time) | 0)
  }

  #start(timestamp: number, nowMs: number, aheadTicks: number): void {
    const leader = (this.#timeline.leader ??= this)
    const time = aheadTicks + (leader.#started ? leader.#timeAt(nowMs, this.#clockRate) : 0)
    if (this.#started) this.#correctedMs += this.#toMs(time - aheadTicks - this.#timeAt(nowMs, this.#clockRate))
    // Reports from before the first frame belong to it, those from before a new start do not.
    const report = this.#started ? undefined : this.#report
    this.#last = report === undefined ? timestamp : unwrapNear(timestamp, report.time)
    this.#report = report !== undefined && this.#isNear(this.#last - report.time) ? report : undefined
    this.#shift = time - this.#last
    this.#started = true
    this.#delay.reset()
    this.#standing.reset()
    this.#drifts = false
    this.#startedMs = nowMs
    this.#arrive(nowMs, aheadTicks)
    this.#align(0, nowMs)
    if (this.#leads && !leader.#leads) this.#timeline.leader = this
  }

  /** The place of the last frame on the timeline. */
  get #time(): number {
    return this.#last + this.#added + this.#shift
  }

  get #added(): number {
    return Math.round((this.#standing.addedMs * this.#clockRate) / 1000)
  }

  #arrive(nowMs: number, aheadTicks: number): void {
    const before = this.#standing.addedMs
    const timeMs = this.#toMs(this.#last - aheadTicks)
    this.#standing.add(timeMs, nowMs)
    this.#correctedMs += this.#standing.addedMs - before
    this.#delay.add(nowMs - timeMs - this.#standing.addedMs, nowMs)
  }

  /** Returns the track's time on the timeline at an instant, by its last frame, in ticks of another clock rate. */
  #timeAt(nowMs: number, clockRate: number): number {
    const elapsed = Math.round(((nowMs - this.#lastMs) * clockRate) / 1000)
    return rescale(this.#time - this.#lastAheadTicks, this.#clockRate, clockRate) + elapsed
  }

  /** Puts the track in step with the leader if it is out of step by more than `maxOffsetMs`. */
  #align(maxOffsetMs: number, nowMs: number): void {
    const { leader } = this.#timeline
    if (leader === undefined || leader === this) return
    const shift = this.#shiftByReports(leader) ?? this.#shiftByArrivals(leader, nowMs) ?? this.#shift
    const offset = shift - this.#shift
    if (Math.abs(this.#toMs(offset)) <= maxOffsetMs || !this.#isNear(offset)) return
    this.#shift = shift
    this.#correctedMs += this.#toMs(offset)
  }

  #shiftByReports(leader: RtpTrackClock): number | undefined {
    const own = this.#report
    const its = leader.#report
    if (own === undefined || its === undefined || this.#isMiscounted || leader.#isMiscounted) return undefined
    const leaderTime = rescale(its.time + leader.#shift, leader.#clockRate, this.#clockRate)
    return leaderTime + Math.round(((own.ntpMs - its.ntpMs) * this.#clockRate) / 1000) - own.time
  }

  #shiftByArrivals(leader: RtpTrackClock, nowMs: number): number | undefined {
    const ownMs = this.#delay.at(nowMs)
    const itsMs = leader.#delay.at(nowMs)
    if (ownMs === undefined && itsMs === undefined) return undefined
    const recent = this.#shiftByDelays(leader, this.#delay.recent - leader.#delay.recent)
    const isJudged = nowMs - this.#startedMs >= MIN_DRIFT_AGE_MS
    this.#drifts ||= isJudged && Math.abs(this.#toMs(recent - this.#shift)) > MAX_DRIFT_MS
    const whole = ownMs === undefined || itsMs === undefined ? undefined : this.#shiftByDelays(leader, ownMs - itsMs)
    // It may have been a pause, and not the pace: then all delays agree again.
    if (whole !== undefined && Math.abs(this.#toMs(recent - whole)) <= RTP_MAX_OFFSET_MS) this.#drifts = false
    return this.#drifts ? recent : whole
  }

  #shiftByDelays(leader: RtpTrackClock, differenceMs: number): number {
    const leaderShift = rescale(leader.#shift, leader.#clockRate, this.#clockRate)
    return leaderShift + Math.round((differenceMs * this.#clockRate) / 1000)
  }

  #checkPace(report: ClockReport): void {
    if (this.#report === undefined) return
    const elapsedMs = report.ntpMs - this.#report.ntpMs
    if (elapsedMs < MIN_PACE_MS || elapsedMs > RTP_MAX_STEP_MS) return
    const pace = this.#toMs(report.time - this.#report.time) / elapsedMs
    if (Math.abs(pace - 1) > MAX_PACE_ERROR) this.#oddPaces++
    else this.#oddPaces = 0
  }

  /**
   * True when its clock rate is wrong, or its RTP times stand still: reports then don't give its times between them. One odd
   * report alone may be a leap.
   */
  get #isMiscounted(): boolean {
    return this.#oddPaces > 1 || this.#standing.addedMs !== 0
  }

  #isJump(step: number, nowMs: number): boolean {
    return !this.#isNear(step) && Math.abs(this.#toMs(step) - (nowMs - this.#lastMs)) > RTP_MAX_STEP_MS
  }

  #agree(before: ClockReport | undefined, report: ClockReport): boolean {
    if (before === undefined) return false
    const offsetMs = report.ntpMs - before.ntpMs - this.#toMs(report.time - before.time)
    return Math.abs(offsetMs) <= RTP_MAX_STEP_MS
  }

  #isNear(ticks: number): boolean {
    return Math.abs(this.#toMs(ticks)) <= RTP_MAX_STEP_MS
  }

  #toMs(ticks: number): number {
    return (ticks * 1000) / this.#clockRate
  }
}

/** Returns the time with these 32 lowest bits that is nearest to another one. */
function unwrapNear(timestamp: number, near: number): number {
  return near + ((timestamp - near) | 0)
}
