import fc from 'fast-check'
import { expect } from 'chai'
import { AccessUnit, RtpClock, type Track } from 'sluice/sdk/media'
import { audioTrack, videoTrack } from './fixtures/media.ts'
import { MAX_ROLLBACK_MS, Timeline } from './timeline.ts'

const NTP_MS = 1_795_367_466_213
const REPORT_INTERVAL_MS = 2000
const FRAME_MS = 20
/** Reports that say less than this against the place of a track leave it there. */
const MAX_OFFSET_MS = 40
/** Reports may put tracks apart by up to 10 s. */
const MAX_LATE_MS = 9900

type Camera = {
  /** What the sound was captured before the pictures that are sent with it; below 0 after them. */
  readonly soundLateMs: number
  readonly firstReportMs: number
  readonly soundRate: number
  readonly starts: readonly [number, number]
  /** The sound begins so much later than the pictures, or before them. */
  readonly soundDelayMs: number
  /** The RTP times of both leap by so much, for example as a file begins anew. */
  readonly leapMs: number
}

const ticks = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const cameras = fc.record<Camera>({
  soundLateMs: fc.integer({ min: -MAX_LATE_MS, max: MAX_LATE_MS }),
  firstReportMs: fc.integer({ min: 0, max: 12_000 }),
  soundRate: fc.constantFrom(8000, 44_100, 48_000, 90_000),
  starts: fc.tuple(ticks, ticks),
  soundDelayMs: fc.integer({ min: -200, max: 200 }),
  leapMs: fc.constant(0),
})

/** One medium of a source, through both engines; what comes out is noted. */
class Medium {
  readonly track: Track
  readonly clock
  /** The milliseconds of each unit, beside the time at which it was captured. */
  readonly out: { readonly ms: number; readonly capturedMs: number }[] = []
  leftOut = 0
  readonly #timeline: Timeline
  readonly #start: number
  #leapMs = 0

  constructor(track: Track, clock: RtpClock, timeline: Timeline, start: number) {
    this.track = track
    this.clock = clock.track(track.timescale, track.kind === 'video')
    this.#timeline = timeline
    this.#start = start
  }

  leap(byMs: number): void {
    this.#leapMs += byMs
  }

  report(capturedMs: number): void {
    this.clock.report(NTP_MS + capturedMs, this.#timestamp(capturedMs))
  }

  send(capturedMs: number, nowMs: number): void {
    const { track, clock } = this
    const time = clock.place(this.#timestamp(capturedMs), nowMs)
    const unit = AccessUnit.fromData(track, time, time, true, Buffer.of(1))
    unit.correctedMs = clock.correctedMs
    if (this.#timeline.place(unit, nowMs)) this.out.push({ ms: (unit.dts * 1000) / track.timescale, capturedMs })
    else this.leftOut++
  }

  /** By how much the newest unit lies after its capture. */
  get offsetMs(): number {
    const { ms, capturedMs } = this.out.at(-1)!
    return ms - capturedMs
  }

  #timestamp(capturedMs: number): number {
    const time = this.#start + Math.round(((capturedMs + this.#leapMs) * this.track.timescale) / 1000)
    return ((time % 2 ** 32) + 2 ** 32) % 2 ** 32
  }
}

/** Sends for so long, and returns the media. */
function run(camera: Camera, durationMs = 45_000): { video: Medium; audio: Medium; timeline: Timeline } {
  const { soundLateMs, firstReportMs, soundRate, starts, soundDelayMs, leapMs } = camera
  const clock = new RtpClock()
  const timeline = new Timeline()
  const video = new Medium(videoTrack({ timescale: 90_000 }), clock, timeline, starts[0])
  const audio = new Medium(audioTrack({ timescale: soundRate }), clock, timeline, starts[1])
  for (let nowMs = 0; nowMs < durationMs; nowMs += FRAME_MS) {
    if (leapMs !== 0 && nowMs === 30_000) for (const medium of [video, audio]) medium.leap(leapMs)
    const sinceFirst = nowMs - firstReportMs
    if (sinceFirst >= 0 && sinceFirst % REPORT_INTERVAL_MS < FRAME_MS) {
      video.report(nowMs)
      audio.report(nowMs - soundLateMs)
    }
    if (nowMs >= -soundDelayMs && nowMs % 40 === 0) video.send(nowMs, nowMs)
    if (nowMs >= soundDelayMs) audio.send(nowMs - soundLateMs, nowMs)
  }
  return { video, audio, timeline }
}

function expectOnward({ out }: Medium): void {
  for (const [index, { ms }] of out.entries()) expect(ms).to.be.at.least(out[index - 1]?.ms ?? 0)
}

describe('The times of RTP on the timeline of a stream', () => {
  it('are those of the reports, whatever these say and whenever they come', () => {
    const holds = (camera: Camera) => {
      const { video, audio, timeline } = run(camera)
      expectOnward(video)
      expectOnward(audio)
      expect(timeline.jumps).to.equal(0)
      expect(Math.abs(video.offsetMs - audio.offsetMs)).to.be.at.most(MAX_OFFSET_MS + 1)
      expect(video.leftOut, 'pictures').to.equal(0)
      const mostLeftOutMs = Math.abs(camera.soundLateMs) < MAX_ROLLBACK_MS ? 0 : Math.abs(camera.soundLateMs) + 500
      expect(audio.leftOut * FRAME_MS).to.be.at.most(mostLeftOutMs)
    }
    fc.assert(fc.property(cameras, holds), { numRuns: 20 })
  })

  it('go on when the source leaps, the tracks together', () => {
    const leaps = fc.constantFrom(-9000, -2000, -1500, 6000, 9000, 3_600_000, -3_600_000)
    const holds = (camera: Camera, leapMs: number) => {
      const { video, audio } = run({ ...camera, leapMs })
      const before = run(camera)
      expectOnward(video)
      expectOnward(audio)
      const apart = (media: { video: Medium; audio: Medium }) => media.video.out.at(-1)!.ms - media.audio.out.at(-1)!.ms
      expect(Math.abs(apart({ video, audio }) - apart(before))).to.be.at.most(2 * MAX_OFFSET_MS)
    }
    const calm = cameras.map((camera) => ({ ...camera, firstReportMs: camera.firstReportMs % 4000 }))
    fc.assert(fc.property(calm, leaps, holds), { numRuns: 15 })
  })
})
