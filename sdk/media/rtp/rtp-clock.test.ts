import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../test/support/soak.ts'
import { RTP_MAX_OFFSET_MS, RtpClock } from './rtp-clock.ts'

const NTP_MS = 1_795_367_466_213.25
const CLOCK_RATES = [8000, 44_100, 48_000, 90_000] as const

const wrapped = (ticks: number): number => ((ticks % 2 ** 32) + 2 ** 32) % 2 ** 32

/** A medium of a source, with an RTP clock of its own that goes too fast by so much; `atMs` is the time of capture. */
class Medium {
  readonly clockRate: number
  readonly #start: number
  readonly #pace: number

  constructor(clockRate: number, start: number, skewPpm = 0) {
    this.clockRate = clockRate
    this.#start = start
    this.#pace = (clockRate / 1000) * (1 + skewPpm / 1e6)
  }

  timestamp(atMs: number): number {
    return wrapped(this.#start + Math.round(atMs * this.#pace))
  }

  /** Ticks of a time on a timeline that began with this medium. */
  ticks(atMs: number): number {
    return Math.round(atMs * this.#pace)
  }
}

/** Video that leads by a second, and audio of 8 kHz behind it, each with a start just below its wrap. */
function createPair() {
  const clock = new RtpClock()
  const media = [new Medium(90_000, 2 ** 32 - 45_000), new Medium(8000, 2 ** 32 - 4000)] as const
  const tracks = media.map(({ clockRate }) => clock.track(clockRate))
  return {
    place: (index: 0 | 1, atMs: number, nowMs: number): number =>
      tracks[index]!.place(media[index].timestamp(atMs), nowMs),
    report: (index: 0 | 1, atMs: number, offsetMs = 0): void =>
      tracks[index]!.report(NTP_MS + atMs + offsetMs, media[index].timestamp(atMs)),
    ntpMs: (index: 0 | 1, atMs: number): number | undefined => tracks[index]!.ntpMsAt(media[index].timestamp(atMs)),
  }
}

describe('RtpClock', () => {
  it('begins at 0 and goes on over wraps, in steps of the RTP times', () => {
    const { place } = createPair()
    const times = [0, 40, 400, 600, 560, 1000].map((atMs) => place(0, atMs, 5000 + atMs))
    expect(times).to.deep.equal([0, 3600, 36_000, 54_000, 50_400, 90_000])
  })

  it('places a further track by arrival', () => {
    const { place } = createPair()
    place(0, 0, 5000)
    place(0, 40, 5040)
    expect(place(1, 100, 5065)).to.equal((40 + 25) * 8)
    expect(place(1, 120, 9000)).to.equal((40 + 25 + 20) * 8)
  })

  it('places a further track by the reports of both', () => {
    const { place, report } = createPair()
    report(1, 0)
    report(0, 10)
    place(0, 0, 5000)
    expect(place(1, 100, 5065)).to.equal(800)
  })

  it('moves a track once when the reports come later', () => {
    const { place, report } = createPair()
    place(0, 0, 5000)
    expect(place(1, 100, 5050)).to.equal(50 * 8)
    report(0, 50)
    expect(place(1, 120, 5120)).to.equal(70 * 8)
    report(1, 125)
    expect([140, 160, 180].map((atMs) => place(1, atMs, 5140))).to.deep.equal([140 * 8, 160 * 8, 180 * 8])
    expect(place(0, 200, 5200)).to.equal(18_000)
  })

  it('moves the others and not the track that leads, also where that comes later', () => {
    const clock = new RtpClock()
    const [video, audio] = [clock.track(90_000, true), clock.track(8000)]
    expect(audio.place(1000, 5000)).to.equal(0)
    expect(video.place(9000, 5100)).to.equal(9000)
    audio.report(NTP_MS, 1000)
    video.report(NTP_MS, 9000)
    expect(video.place(12_600, 5140)).to.equal(12_600)
    expect(audio.place(1320, 5140)).to.equal((100 + 40) * 8)
  })

  it('moves a track by the arrival of the quickest frames where there are no reports', () => {
    const { place } = createPair()
    // The first picture is large, and takes 300 ms.
    place(0, 0, 5300)
    expect(place(1, 300, 5310)).to.equal(10 * 8)
    let offsetMs = 0
    for (let atMs = 320; atMs <= 60_000; atMs += 20) {
      const jitterMs = (atMs * 7) % 31
      if (atMs % 40 === 0) place(0, atMs, 5000 + atMs + jitterMs)
      offsetMs = place(1, atMs, 5000 + atMs + ((atMs * 11) % 29)) / 8 - atMs
      if (atMs < 1000) expect(offsetMs).to.equal(-290)
    }
    expect(Math.abs(offsetMs)).to.be.below(RTP_MAX_OFFSET_MS)
  })

  for (const { name, paces, reports } of [
    { name: 'pictures stamped 25 a second, and 21 delivered', paces: [21 / 25, 1], reports: false },
    { name: 'pictures stamped 25 a second, and 30 delivered', paces: [30 / 25, 1], reports: false },
    { name: 'sound counted at 90 kHz in place of 48', paces: [1, 90 / 48], reports: false },
    { name: 'sound counted at 90 kHz in place of 48, with reports', paces: [1, 90 / 48], reports: true },
    { name: 'sound counted at 8 kHz in place of 48', paces: [1, 8 / 48], reports: false },
    { name: 'sound counted at 8 kHz in place of 48, with reports', paces: [1, 8 / 48], reports: true },
  ] as const) {
    it(`does not let tracks drift apart whose clocks have another pace than they say: ${name}`, () => {
      const clock = new RtpClock()
      const tracks = [clock.track(90_000, true), clock.track(48_000)] as const
      const rates = [90_000 * paces[0], 48_000 * paces[1]] as const
      const ms = [0, 0]
      for (let atMs = 0; atMs <= 120_000; atMs += 20) {
        for (const index of [0, 1] as const) {
          if (index === 0 && atMs % 40 !== 0) continue
          const timestamp = Math.round((atMs * rates[index]) / 1000)
          if (reports && atMs % 2000 === 0) tracks[index].report(NTP_MS + atMs, timestamp)
          ms[index] = (tracks[index].place(timestamp, 5000 + atMs) * 1000) / [90_000, 48_000][index]!
        }
        expect(Math.abs(ms[0]! - ms[1]!), `at ${atMs} ms`).to.be.below(3500)
      }
    })
  }

  for (const { name, paces } of [
    { name: 'of pictures', paces: [0, 1] },
    { name: 'of sound', paces: [1, 0] },
    { name: 'of both', paces: [0, 0] },
    { name: 'of pictures, as good as: they are counted in milliseconds', paces: [1 / 90, 1] },
    { name: 'of sound, as good as: it is counted at 8 kHz in place of 48', paces: [1, 8 / 48] },
  ] as const) {
    it(`places frames by arrival whose times stand still: ${name}`, () => {
      const clock = new RtpClock()
      const tracks = [clock.track(90_000, true), clock.track(48_000)] as const
      const ms = [0, 0]
      for (let atMs = 0; atMs <= 60_000; atMs += 20) {
        for (const index of [0, 1] as const) {
          if (index === 0 && atMs % 40 !== 0) continue
          const rate = [90_000, 48_000][index]!
          const nowMs = 5000 + Math.ceil(atMs / 40) * 40
          const time = (tracks[index].place(Math.round((atMs * rate * paces[index]) / 1000), nowMs) * 1000) / rate
          expect(time, `${index} at ${atMs} ms`).to.be.at.least(ms[index]!)
          ms[index] = time
        }
        if (atMs > 2100) expect(Math.max(...ms.map((time) => Math.abs(time - atMs))), `at ${atMs} ms`).to.be.below(100)
      }
    })
  }

  it('goes on by the RTP times where they stood still, and move again', () => {
    const track = new RtpClock().track(90_000, true)
    for (let atMs = 0; atMs <= 8000; atMs += 40) track.place(0, 5000 + atMs)
    let last = track.place(3600, 13_040)
    for (let atMs = 80; atMs <= 8000; atMs += 40) {
      const time = track.place(atMs * 90, 13_000 + atMs + ((atMs * 7) % 31))
      if (atMs > 4500) expect(time - last).to.equal(3600)
      last = time
    }
  })

  it('moves no track by arrival where the source is ahead of time', () => {
    const { place } = createPair()
    for (let atMs = 0; atMs <= 60_000; atMs += 40) {
      place(0, atMs, 5000 + atMs / 4)
      expect(place(1, atMs, 5100 + atMs / 4)).to.equal((atMs + 100) * 8)
    }
  })

  it('is led by the first of several tracks of pictures', () => {
    const clock = new RtpClock()
    const [first, second] = [clock.track(90_000, true), clock.track(90_000, true)]
    first.place(0, 5000)
    expect(second.place(0, 5100)).to.equal(9000)
    first.report(NTP_MS, 0)
    second.report(NTP_MS, 0)
    expect([first.place(3600, 5040), second.place(3600, 5140)]).to.eql([3600, 3600])
  })

  it('takes it that frames are sent when they are decoded', () => {
    const clock = new RtpClock()
    const [video, audio] = [clock.track(90_000, true), clock.track(8000)]
    expect(video.place(7200, 5000, 7200)).to.equal(7200)
    expect(audio.place(0, 5000)).to.equal(0)
    const late = new RtpClock()
    expect(late.track(8000).place(0, 5000)).to.equal(0)
    expect(late.track(90_000, true).place(7200, 5010, 7200)).to.equal(900 + 7200)
  })

  it('does not move a track for a few milliseconds', () => {
    const { place, report } = createPair()
    place(0, 0, 5000)
    place(1, 100, 5140)
    report(0, 110)
    report(1, 110)
    expect(place(1, 120, 5140)).to.equal(160 * 8)
    report(1, 130, -1)
    expect(place(1, 140, 5140)).to.equal(139 * 8)
  })

  it('leaves reports aside that put tracks more than 10 s apart', () => {
    const { place, report, ntpMs } = createPair()
    report(0, 0)
    report(1, 0, 3_600_000)
    place(0, 0, 5000)
    expect(place(1, 0, 5047)).to.equal(47 * 8)
    expect(ntpMs(1, 0)).to.equal(NTP_MS + 3_600_000)
    report(0, 20, 3_600_000)
    report(0, 40, 3_600_000)
    expect(place(1, 60, 5060)).to.equal(60 * 8)
  })

  it('leaves reports aside whose NTP time jumps, unless the next one agrees', () => {
    const { place, report, ntpMs } = createPair()
    expect(ntpMs(0, 0)).to.equal(undefined)
    place(0, 0, 5000)
    report(0, 0)
    report(0, 20, 7_200_000)
    expect(ntpMs(0, 40)).to.equal(NTP_MS + 40)
    report(0, 60, 1)
    report(0, 70, 7_200_000)
    expect(ntpMs(0, 80)).to.equal(NTP_MS + 81)
    report(0, 100, 7_200_001)
    expect(ntpMs(0, 80)).to.equal(NTP_MS + 7_200_081)
  })

  it('leaves reports aside whose RTP time is far from the media', () => {
    const { place, report, ntpMs } = createPair()
    report(1, 0)
    place(1, 10_001, 5000)
    expect(ntpMs(1, 0)).to.equal(undefined)
    report(1, 20_002)
    expect(ntpMs(1, 0)).to.equal(undefined)
    report(1, 20_001)
    expect(ntpMs(1, 0)).to.equal(NTP_MS)
  })

  it('leaves reports of senders without a clock aside', () => {
    const track = new RtpClock().track(90_000)
    track.report(undefined, 0)
    track.place(0, 0)
    expect(track.ntpMsAt(0)).to.equal(undefined)
  })

  it('goes on by arrival when the RTP times jump', () => {
    const { place, report, ntpMs } = createPair()
    place(0, 0, 5000)
    place(1, 0, 5000)
    report(1, 0)
    expect(place(1, 3_000_000, 5040)).to.equal(320)
    expect(ntpMs(1, 3_000_000)).to.equal(undefined)
    expect(place(1, 3_000_020, 5100)).to.equal(480)
    expect(place(0, 2_000_000, 6000)).to.equal(90_000)
    expect(place(0, 2_000_040, 6040)).to.equal(93_600)
    expect(place(1, 100, 6050)).to.equal((1040 + 10) * 8)
  })

  it('forgets the reports from before a jump, even those that are near it', () => {
    const { place, report, ntpMs } = createPair()
    place(0, 0, 5000)
    report(0, 9000)
    expect(place(0, 18_000, 5040)).to.equal(3600)
    expect(ntpMs(0, 18_000)).to.equal(undefined)
  })

  it('goes on by the RTP times when frames come late, or all at once, or after a pause', () => {
    const { place } = createPair()
    place(0, 0, 5000)
    expect(place(0, 40, 35_000)).to.equal(3600)
    expect([1, 2, 3].map((n) => place(0, n * 9000, 35_000))).to.deep.equal([810_000, 1_620_000, 2_430_000])
    expect(place(0, 87_000, 99_000)).to.equal(7_830_000)
  })

  it('keeps tracks in step, exactly when the reports come first, whatever their clocks and the network', () => {
    const medium = fc
      .tuple(fc.constantFrom(...CLOCK_RATES), fc.nat(2 ** 32 - 1))
      .map(([clockRate, start]) => new Medium(clockRate, start))
    // Packets come up to 200 ms late, and B-frames are shown up to 120 ms later or earlier.
    const frame = fc.record({ track: fc.nat(2), lateMs: fc.nat(200), reorderMs: fc.integer({ min: -120, max: 120 }) })
    const frames = fc.array(frame, { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(fc.tuple(medium, medium, medium), frames, fc.nat(200), fc.boolean(), (media, frames, ...options) => {
        const [reportAt, reportsFirst] = options
        const clock = new RtpClock()
        const tracks = media.map(({ clockRate }) => clock.track(clockRate))
        const report = (atMs: number): void => {
          for (const [i, track] of tracks.entries()) track.report(NTP_MS + atMs + i, media[i]!.timestamp(atMs + i))
        }
        let origin: { readonly atMs: number } | undefined
        if (reportsFirst) report(0)
        for (const [i, { track, lateMs, reorderMs }] of frames.entries()) {
          const atMs = i * 20 + reorderMs
          if (i === reportAt) report(atMs)
          origin ??= { atMs }
          const { clockRate } = media[track]!
          const time = tracks[track]!.place(media[track]!.timestamp(atMs), i * 20 + lateMs)
          expect(Number.isInteger(time)).to.equal(true)
          // A tick for each rounding: of the leader's time, of the reports' and of the difference between them.
          const slackMs = reportsFirst ? 3000 / 8000 : i >= reportAt ? RTP_MAX_OFFSET_MS + 1 : 500
          expect((time * 1000) / clockRate).to.be.closeTo(atMs - origin.atMs, slackMs)
        }
      }),
      { numRuns: rounds(300) },
    )
  })

  it('follows clocks of another pace by few corrections, and by RTP differences in between', () => {
    const ppm = fc.integer({ min: -200, max: 200 })
    const start = fc.nat(2 ** 32 - 1)
    const rate = fc.constantFrom(...CLOCK_RATES)
    fc.assert(
      fc.property(fc.tuple(rate, start, ppm), fc.tuple(rate, start, ppm), (first, second) => {
        const leader = new Medium(...first)
        const follower = new Medium(...second)
        const clock = new RtpClock()
        const [leading, following] = [clock.track(leader.clockRate), clock.track(follower.clockRate)]
        const seconds = 600
        let corrections = 0
        let before: { readonly time: number; readonly atMs: number } | undefined
        for (let atMs = 0; atMs <= seconds * 1000; atMs += 1000) {
          if (atMs % 5000 === 0) {
            leading.report(NTP_MS + atMs, leader.timestamp(atMs))
            following.report(NTP_MS + atMs + 3, follower.timestamp(atMs + 3))
          }
          const leaderTime = leading.place(leader.timestamp(atMs), atMs)
          expect(leaderTime).to.equal(leader.ticks(atMs))
          const time = following.place(follower.timestamp(atMs), atMs)
          const offsetMs = (time * 1000) / follower.clockRate - (leaderTime * 1000) / leader.clockRate
          expect(offsetMs).to.be.closeTo(0, RTP_MAX_OFFSET_MS + 2)
          const step = follower.ticks(atMs) - (before === undefined ? 0 : follower.ticks(before.atMs))
          if (before !== undefined && time - before.time !== step) corrections += 1
          before = { time, atMs }
        }
        const driftMs = (Math.abs(first[2] - second[2]) * seconds) / 1000
        expect(corrections).to.be.at.most(driftMs / RTP_MAX_OFFSET_MS)
        if (driftMs > 2 * RTP_MAX_OFFSET_MS) expect(corrections).to.be.above(0)
      }),
      { numRuns: rounds(20) },
    )
  })

  it('goes on over days and many wraps', () => {
    const { place, report } = createPair()
    const hours = 100
    let last: readonly number[] = []
    for (let atMs = 0; atMs <= hours * 3_600_000; atMs += 9000) {
      last = [place(0, atMs, atMs), place(1, atMs, atMs)]
      report(0, atMs)
      report(1, atMs)
    }
    expect(last).to.deep.equal([hours * 3600 * 90_000, hours * 3600 * 8000])
  })
})
