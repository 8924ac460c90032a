import { expect } from 'chai'
import fc from 'fast-check'
import { AccessUnit, type Track } from 'sluice/sdk'
import { audioTrack, dataTrack, videoTrack } from './fixtures/media.ts'
import { LEAD_MS, MAX_CTS_MS, MAX_ROLLBACK_MS, Timeline } from './timeline.ts'

const TIMESCALES = [25, 1000, 44_100, 48_000, 90_000]
const HOUR_MS = 3_600_000
/** One frame of the slowest track in the tests with jumps. */
const FRAME_MS = 40

type Step = { readonly track: Track; readonly dts: number; readonly cts?: number; readonly nowMs: number }

function place(timeline: Timeline, { track, dts, cts = 0, nowMs }: Step): AccessUnit {
  const unit = AccessUnit.fromData(track, dts, dts + cts, true, Buffer.alloc(0))
  timeline.place(unit, nowMs)
  return unit
}

function placeAll(timeline: Timeline, steps: readonly Step[]): AccessUnit[] {
  return steps.map((step) => place(timeline, step))
}

/** Tracks with units at a steady rate, in the order they come from a source that sends in real time. */
function steadySource(
  tracks: readonly { readonly track: Track; readonly startMs: number }[],
  durationMs: number,
): Step[] {
  const steps: Step[] = []
  for (const { track, startMs } of tracks) {
    const stepTicks = Math.max(1, Math.floor((track.timescale * FRAME_MS) / 1000))
    const first = Math.round((startMs * track.timescale) / 1000)
    for (let dts = first; dts - first < (durationMs * track.timescale) / 1000; dts += stepTicks) {
      steps.push({ track, dts, nowMs: (dts * 1000) / track.timescale })
    }
  }
  return steps.toSorted((one, other) => one.nowMs - other.nowMs)
}

/** How far each unit was moved, in milliseconds, for one track. */
function shiftsOf(track: Track, steps: readonly Step[], units: readonly AccessUnit[]): number[] {
  return units.flatMap((unit, index) => {
    const step = steps[index]
    return step?.track === track ? [((unit.dts - step.dts) * 1000) / track.timescale] : []
  })
}

describe('Timeline', () => {
  it('shifts times that are in order by a constant, and the tracks by the same', () => {
    const timescale = fc.constantFrom(...TIMESCALES)
    const startMs = fc.oneof(
      fc.integer({ min: 0, max: 2 * LEAD_MS }),
      fc.integer({ min: -HOUR_MS, max: 1000 * HOUR_MS }),
    )
    fc.assert(
      fc.property(timescale, timescale, startMs, fc.integer({ min: -900, max: 900 }), (one, other, start, apart) => {
        const video = videoTrack({ timescale: one })
        const audio = audioTrack({ timescale: other })
        const steps = steadySource(
          [
            { track: video, startMs: start },
            { track: audio, startMs: Math.max(start >= 0 ? 0 : -Infinity, start + apart) },
          ],
          4000,
        )
        const timeline = new Timeline()
        const units = placeAll(timeline, steps)
        const [videoShifts, audioShifts] = [shiftsOf(video, steps, units), shiftsOf(audio, steps, units)]
        expect(Math.max(...videoShifts) - Math.min(...videoShifts)).to.be.lessThan(1e-3)
        expect(Math.max(...audioShifts) - Math.min(...audioShifts)).to.be.lessThan(1e-3)
        const tickMs = 1000 / Math.min(one, other)
        expect(Math.abs((videoShifts[0] ?? 0) - (audioShifts[0] ?? 0))).to.be.at.most(tickMs + 1)
        expect(timeline.jumps).to.equal(0)
      }),
    )
  })

  const starts = [
    { name: 'zero', dts: 0, placed: 0 },
    { name: 'a little above zero', dts: 700, placed: 700 },
    { name: 'the lead', dts: LEAD_MS, placed: LEAD_MS },
    { name: 'beyond the lead', dts: LEAD_MS + 1, placed: LEAD_MS },
    { name: 'hours', dts: 5 * HOUR_MS, placed: LEAD_MS },
    { name: 'below zero', dts: -80, placed: LEAD_MS },
  ]
  for (const { name, dts, placed } of starts) {
    it(`starts near zero: at ${placed} for a source that starts at ${name}`, () => {
      expect(place(new Timeline(), { track: videoTrack(), dts, nowMs: 0 }).dts).to.equal(placed)
    })
  }

  it('never runs back or below zero, whatever comes in', () => {
    const track = fc.constantFrom<Track>(
      videoTrack({ timescale: 90_000 }),
      audioTrack({ timescale: 44_100 }),
      audioTrack({ id: 2, timescale: 1000, layer: 'other' }),
    )
    const dts = fc.oneof(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), fc.integer({ min: 0, max: 100_000 }))
    const step = fc.record({
      track,
      dts,
      cts: fc.integer({ min: -(2 ** 34), max: 2 ** 34 }),
      elapsedMs: fc.nat(20_000),
    })
    const options = fc.record({
      startMs: fc.option(fc.nat(HOUR_MS), { nil: undefined }),
      timestampBits: fc.constantFrom(undefined, 32, 33),
    })
    fc.assert(
      fc.property(options, fc.array(step, { maxLength: 60, size: 'max' }), (timelineOptions, steps) => {
        const timeline = new Timeline(timelineOptions)
        const last = new Map<Track, number>()
        let nowMs = 0
        for (const { elapsedMs, ...rest } of steps) {
          nowMs += elapsedMs
          const unit = place(timeline, { ...rest, nowMs })
          const floor = Math.floor(((timelineOptions.startMs ?? 0) * unit.track.timescale) / 1000)
          expect(unit.dts).to.be.at.least(last.get(unit.track) ?? floor)
          expect(Number.isSafeInteger(unit.dts) && Number.isSafeInteger(unit.pts)).to.be.true
          expect(unit.pts).to.be.at.least(0)
          expect(Math.abs(unit.pts - unit.dts) * 1000).to.be.at.most(MAX_CTS_MS * unit.track.timescale)
          last.set(unit.track, unit.dts)
        }
      }),
    )
  })

  for (const bits of [32, 33]) {
    it(`makes the wrap of a ${bits}-bit counter invisible, in presentation times, too`, () => {
      const range = 2 ** bits
      const before = fc.integer({ min: 0, max: 90_000 * 3 })
      fc.assert(
        fc.property(before, fc.integer({ min: -20_000, max: 20_000 }), fc.nat(9000), (lead, apart, cts) => {
          const video = videoTrack({ timescale: 90_000 })
          const audio = audioTrack({ timescale: 90_000 })
          const startMs = (range - lead) / 90
          const steps = steadySource(
            [
              { track: video, startMs },
              { track: audio, startMs: startMs + apart / 90 },
            ],
            5000,
          )
          const wrapped = steps.map((step) => ({ ...step, dts: ((step.dts % range) + range) % range }))
          const timeline = new Timeline({ timestampBits: bits })
          const units = wrapped.map((step) => {
            const pts = (step.dts + cts) % range
            return place(timeline, { ...step, cts: pts - step.dts })
          })
          for (const track of [video, audio]) {
            const shifts = shiftsOf(track, steps, units)
            expect(Math.max(...shifts) - Math.min(...shifts)).to.be.lessThan(1e-3)
          }
          expect(units.every((unit) => unit.pts - unit.dts === cts)).to.be.true
          expect(timeline.jumps).to.equal(0)
        }),
      )
    })
  }

  it('takes a counter that wrapped before the first unit of an earlier track as just before it', () => {
    const timeline = new Timeline({ timestampBits: 32 })
    place(timeline, { track: videoTrack(), dts: 2 ** 32 - 5, nowMs: 0 })
    expect(place(timeline, { track: audioTrack(), dts: 15, nowMs: 0 }).dts).to.equal(LEAD_MS + 20)
  })

  it('flattens a small step back', () => {
    const timeline = new Timeline()
    const dts = [0, 40, 20, 80, 80 - MAX_ROLLBACK_MS, 120]
    const units = placeAll(
      timeline,
      dts.map((time, index) => ({ track: videoTrack(), dts: time, nowMs: index })),
    )
    expect(units.map((unit) => unit.dts)).to.deep.equal([0, 40, 40, 80, 80, 120])
    expect(timeline.jumps).to.equal(0)
  })

  it('goes on when many small steps back add up', () => {
    const timeline = new Timeline()
    const track = videoTrack()
    place(timeline, { track, dts: 100_000, nowMs: 0 })
    place(timeline, { track, dts: 100_040, nowMs: 0 })
    for (let dts = 99_900; dts > 97_000; dts -= 500) place(timeline, { track, dts, nowMs: 0 })
    const one = place(timeline, { track, dts: 97_440, nowMs: 0 }).dts
    const other = place(timeline, { track, dts: 97_480, nowMs: 0 }).dts
    expect(other - one).to.equal(40)
  })

  describe('jumps', () => {
    type Jump = { readonly atMs: number; readonly byMs: number; readonly audioLagMs: number }
    const jump = fc.record({
      gapMs: fc.integer({ min: 2000, max: 6000 }),
      byMs: fc.oneof(fc.integer({ min: 8000, max: 50 * HOUR_MS }), fc.integer({ min: -HOUR_MS, max: -4000 })),
      // How much later than the video's the audio's units come: the video jumps first, or the audio.
      audioLagMs: fc.integer({ min: -500, max: 500 }),
    })

    function jumpingSource(jumps: readonly Jump[], durationMs: number, timescales: readonly [number, number]) {
      const video = videoTrack({ timescale: timescales[0] })
      const audio = audioTrack({ timescale: timescales[1] })
      const steps = steadySource(
        [
          { track: video, startMs: 0 },
          { track: audio, startMs: 0 },
        ],
        durationMs,
      )
      const shifted = steps.map((step) => {
        const past = jumps.filter(({ atMs }) => atMs <= step.nowMs + 1e-6)
        const byMs = past.reduce((sum, { byMs: by }) => sum + by, HOUR_MS * 100)
        const lagMs = step.track === audio ? ((past.at(-1) ?? jumps[0])?.audioLagMs ?? 0) : 0
        const dts = step.dts + (byMs * step.track.timescale) / 1000
        return { ...step, dts, trueMs: step.nowMs, nowMs: step.nowMs + lagMs }
      })
      const inOrder = [video, audio].flatMap((track) => {
        let nowMs = -Infinity
        return shifted
          .filter((step) => step.track === track)
          .map((step) => ({ ...step, nowMs: (nowMs = Math.max(nowMs, step.nowMs)) }))
      })
      return { video, audio, steps: inOrder.toSorted((one, other) => one.nowMs - other.nowMs) }
    }

    it('close, forward and back, again and again, without parting audio and video', () => {
      const timescales = fc.tuple(fc.constantFrom(1000, 90_000), fc.constantFrom(1000, 48_000))
      fc.assert(
        fc.property(fc.array(jump, { minLength: 1, maxLength: 6, size: 'max' }), timescales, (gaps, scales) => {
          let atMs = 0
          const jumps = gaps.map(({ gapMs, ...rest }) => ({ ...rest, atMs: (atMs += gapMs) }))
          const { video, audio, steps } = jumpingSource(jumps, atMs + 3000, scales)
          const timeline = new Timeline()
          const units = placeAll(timeline, steps)
          const endShift = (track: Track) => {
            const index = steps.findLastIndex((step) => step.track === track)
            const unit = units[index]
            const step = steps[index]
            return unit && step ? (unit.dts * 1000) / track.timescale - step.trueMs : NaN
          }
          expect(Math.abs(endShift(video) - endShift(audio))).to.be.at.most(FRAME_MS)
          // Nor does the time as a whole run away: a jump costs about a frame at most.
          expect(Math.abs(endShift(video) - LEAD_MS)).to.be.at.most(500 + FRAME_MS * (jumps.length + 1))
          expect(timeline.jumps).to.be.at.least(1)
        }),
      )
    })

    for (const first of ['video', 'audio'] as const) {
      it(`of a looped file whose audio is shorter than its video don't add up, ${first} first`, () => {
        const timeline = new Timeline()
        const [video, audio] = [videoTrack(), audioTrack()]
        let last = { video: 0, audio: 0 }
        for (let loop = 0; loop < 50; loop++) {
          const file = steadySource(
            first === 'video'
              ? [
                  { track: video, startMs: 0 },
                  { track: audio, startMs: 0 },
                ]
              : [
                  { track: audio, startMs: 0 },
                  { track: video, startMs: 0 },
                ],
            10_000,
          ).filter(({ track, dts }) => track === video || dts < 9900)
          for (const step of file) {
            const { dts } = place(timeline, { ...step, nowMs: step.nowMs + loop * 10_000 })
            last = { ...last, [step.track.kind]: dts - step.dts }
          }
        }
        expect(last.video).to.equal(last.audio)
        expect(last.video).to.be.within(490_000 - 50 * 100, 490_000)
      })
    }

    it('of a single unit leave the rest where it was', () => {
      const timeline = new Timeline()
      const dts = [0, 40, 900_000, 120, 160]
      const units = placeAll(
        timeline,
        dts.map((time) => ({ track: videoTrack(), dts: time, nowMs: 0 })),
      )
      expect(units.map((unit) => unit.dts)).to.deep.equal([0, 40, 80, 120, 160])
    })

    it('of a track that was silent meanwhile join the others again', () => {
      const timeline = new Timeline()
      const [video, audio] = [videoTrack(), audioTrack()]
      place(timeline, { track: video, dts: 500_000, nowMs: 0 })
      place(timeline, { track: audio, dts: 500_000, nowMs: 0 })
      for (let ms = 40; ms <= 20_000; ms += 40) place(timeline, { track: video, dts: 500_000 + ms, nowMs: ms })
      for (let ms = 20_040; ms <= 60_000; ms += 40) place(timeline, { track: video, dts: ms, nowMs: ms })
      const videoMs = place(timeline, { track: video, dts: 60_040, nowMs: 60_040 }).dts
      expect(place(timeline, { track: audio, dts: 60_040, nowMs: 60_040 }).dts).to.equal(videoMs)
    })
  })

  it('has data that comes once in a file be where the pictures are, however often the file is played', () => {
    const timeline = new Timeline()
    const video = videoTrack()
    const data = dataTrack()
    for (let loop = 0; loop < 3; loop++) {
      for (let ms = 0; ms < 60_000; ms += 40) {
        const nowMs = loop * 60_000 + ms
        const picture = place(timeline, { track: video, dts: 500_000 + ms, nowMs })
        if (ms !== 30_000) continue
        expect(place(timeline, { track: data, dts: 500_000 + ms, nowMs }).dts).to.equal(picture.dts)
      }
    }
    expect(timeline.jumps).to.equal(2)
  })

  it('keeps a pause in real time', () => {
    const timeline = new Timeline()
    const track = videoTrack()
    place(timeline, { track, dts: 0, nowMs: 0 })
    place(timeline, { track, dts: 40, nowMs: 40 })
    expect(place(timeline, { track, dts: 60_040, nowMs: 60_040 }).dts).to.equal(60_040)
    expect(timeline.jumps).to.equal(0)
  })

  it('keeps a pause after which the source counts from zero again', () => {
    const timeline = new Timeline()
    const track = videoTrack()
    place(timeline, { track, dts: 100_000, nowMs: 0 })
    const before = place(timeline, { track, dts: 100_040, nowMs: 40 }).dts
    expect(place(timeline, { track, dts: 0, nowMs: 30_040 }).dts).to.equal(before + 30_000)
  })

  it('goes on where a second publisher is told to start, with every track', () => {
    const timeline = new Timeline({ startMs: 77_000 })
    expect(timeline.lastMs).to.equal(77_000)
    expect(place(timeline, { track: videoTrack(), dts: 5000, nowMs: 0 }).dts).to.equal(77_000)
    const audio = audioTrack({ timescale: 48_000 })
    const units = [4960, 4980, 5000, 5020].map((ms) => place(timeline, { track: audio, dts: ms * 48, nowMs: 0 }))
    expect(units.map((unit) => unit.dts / 48)).to.deep.equal([77_000, 77_000, 77_000, 77_020])
  })

  describe('a late track', () => {
    it('keeps its distance to the others', () => {
      const timeline = new Timeline()
      for (let ms = 0; ms <= 4000; ms += 40) place(timeline, { track: videoTrack(), dts: 700_000 + ms, nowMs: ms })
      expect(place(timeline, { track: audioTrack(), dts: 703_990, nowMs: 4000 }).dts).to.equal(LEAD_MS + 3990)
    })

    it('of another clock starts at the newest media', () => {
      const timeline = new Timeline()
      for (let ms = 0; ms <= 4000; ms += 40) place(timeline, { track: videoTrack(), dts: ms, nowMs: ms })
      expect(place(timeline, { track: audioTrack(), dts: 9_000_000, nowMs: 4000 }).dts).to.equal(4000)
      expect(place(timeline, { track: audioTrack(), dts: 9_000_020, nowMs: 4020 }).dts).to.equal(4020)
    })
  })

  describe('after a break', () => {
    /** Both tracks, 20 ms apart from each other. */
    function played(timeline: Timeline, fromMs: number, durationMs = 200): void {
      for (let ms = fromMs; ms <= fromMs + durationMs; ms += 40) {
        place(timeline, { track: videoTrack(), dts: ms, nowMs: ms })
        place(timeline, { track: audioTrack(), dts: ms + 20, nowMs: ms + 20 })
      }
    }

    for (const toMs of [90_000_000, 90_000, 0]) {
      it(`goes on a step later, the tracks together, when the source goes on at ${toMs} ms`, () => {
        const timeline = new Timeline()
        played(timeline, 90_000)
        expect(timeline.lastMs).to.equal(LEAD_MS + 220)
        timeline.restart()
        expect(place(timeline, { track: videoTrack(), dts: toMs, cts: 80, nowMs: 1 })).to.include({
          dts: LEAD_MS + 260,
          pts: LEAD_MS + 340,
        })
        expect(place(timeline, { track: audioTrack(), dts: toMs + 20, nowMs: 1 }).dts).to.equal(LEAD_MS + 280)
        expect(place(timeline, { track: videoTrack(), dts: toMs + 40, nowMs: 1 }).dts).to.equal(LEAD_MS + 300)
        expect(timeline.jumps).to.equal(0)
      })
    }

    it('never goes back, whatever comes first', () => {
      const timeline = new Timeline()
      played(timeline, 0)
      timeline.restart()
      const early = [-300, -100, 0, 300].map((ms) => place(timeline, { track: audioTrack(), dts: ms, nowMs: 1 }).dts)
      const late = place(timeline, { track: videoTrack(), dts: -100, nowMs: 1 }).dts
      expect(early).to.deep.equal([260, 460, 560, 860])
      expect(late).to.equal(460)
    })

    it('is nothing before there was media', () => {
      const timeline = new Timeline({ startMs: 500 })
      timeline.restart()
      expect(place(timeline, { track: videoTrack(), dts: 0, nowMs: 0 }).dts).to.equal(500)
    })
  })

  describe('after a pause', () => {
    for (const [what, leapMs] of [
      ['goes on', 0],
      ['leaps by as much', 4000],
      ['leaps back', -50_000],
    ] as const) {
      it(`goes on where it was when the source's time ${what}`, () => {
        const timeline = new Timeline()
        for (let ms = 0; ms <= 200; ms += 40) {
          place(timeline, { track: videoTrack(), dts: ms, nowMs: ms })
          place(timeline, { track: audioTrack(), dts: ms + 20, nowMs: ms })
        }
        timeline.resume(4200)
        expect(place(timeline, { track: videoTrack(), dts: 240 + leapMs, nowMs: 4200 }).dts).to.equal(240)
        expect(place(timeline, { track: audioTrack(), dts: 260 + leapMs, nowMs: 4200 }).dts).to.equal(260)
        expect(place(timeline, { track: videoTrack(), dts: 280 + leapMs, nowMs: 4240 }).dts).to.equal(280)
        expect(place(timeline, { track: videoTrack(), dts: 3280 + leapMs, nowMs: 4280 }).dts).to.equal(3280)
      })
    }
  })

  describe('at another scale', () => {
    it('divides all times', () => {
      const timeline = new Timeline({ scale: 2 })
      const units = [0, 40, 80].map((dts) => place(timeline, { track: videoTrack(), dts, cts: 80, nowMs: dts / 2 }))
      expect(units.map(({ dts, pts }) => [dts, pts])).to.deep.equal([
        [0, 40],
        [20, 60],
        [40, 80],
      ])
    })

    it('goes on without a step back when the scale changes', () => {
      const timeline = new Timeline()
      for (let ms = 0; ms <= 200; ms += 40) place(timeline, { track: videoTrack(), dts: ms, nowMs: ms })
      timeline.scale = 4
      const fast = [240, 280, 320].map((dts) => place(timeline, { track: videoTrack(), dts, nowMs: 200 }).dts)
      expect(fast).to.deep.equal([240, 250, 260])
      timeline.scale = 0.5
      const slow = [360, 400].map((dts) => place(timeline, { track: videoTrack(), dts, nowMs: 260 }).dts)
      expect(slow).to.deep.equal([270, 350])
    })

    it('unwraps counters before it divides them', () => {
      const timeline = new Timeline({ scale: 2, timestampBits: 32 })
      const start = 2 ** 32 - 80
      const units = [0, 40, 80, 120].map((ms) =>
        place(timeline, { track: videoTrack(), dts: (start + ms) % 2 ** 32, nowMs: ms }),
      )
      expect(units.map(({ dts }) => dts - LEAD_MS)).to.deep.equal([0, 20, 40, 60])
    })
  })

  const offsets = [
    { name: 'at the limit', cts: MAX_CTS_MS, kept: MAX_CTS_MS },
    { name: 'beyond it', cts: MAX_CTS_MS + 1, kept: 0 },
    { name: 'far below zero', cts: -MAX_CTS_MS - 1, kept: 0 },
    { name: 'a little below zero', cts: -40, kept: -40 },
  ]
  for (const { name, cts, kept } of offsets) {
    it(`keeps ${kept} ms of a composition offset ${name}`, () => {
      const unit = place(new Timeline(), { track: videoTrack(), dts: 500, cts, nowMs: 0 })
      expect(unit.pts - unit.dts).to.equal(kept)
    })
  }

  it('gives no presentation time below zero', () => {
    expect(place(new Timeline(), { track: videoTrack(), dts: 0, cts: -40, nowMs: 0 }).pts).to.equal(0)
  })
})
