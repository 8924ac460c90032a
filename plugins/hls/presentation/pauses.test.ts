import { expect } from 'chai'
import type { AccessUnit } from 'sluice/sdk'
import { unitsIn } from './fixtures/listed-units.ts'
import { FrameWriter, PresentationRig } from './fixtures/presentation-rig.ts'
import { FORMS } from './fixtures/saved-presentation.ts'

const SOUND_SECONDS = 1024 / 44_100

type Picture = { readonly seconds: number; readonly keyframe: boolean }

/** 25 pictures a second, a keyframe every 2 s. */
function pictures(fromSeconds: number, toSeconds: number): Picture[] {
  const count = Math.round((toSeconds - fromSeconds) * 25)
  return Array.from({ length: count }, (_, index) => ({
    seconds: fromSeconds + index / 25,
    keyframe: index % 50 === 0,
  }))
}

function stills(...seconds: readonly number[]): Picture[] {
  return seconds.map((second) => ({ seconds: second, keyframe: true }))
}

function sounds(fromSeconds: number, toSeconds: number): number[] {
  const first = Math.ceil(fromSeconds / SOUND_SECONDS)
  const count = Math.ceil(toSeconds / SOUND_SECONDS) - first
  return Array.from({ length: count }, (_, index) => (first + index) * SOUND_SECONDS)
}

/** Writes all in the order of time, sound later than it should come by `lateSeconds`. */
function write(frames: FrameWriter, video: readonly Picture[], audio: readonly number[], lateSeconds = 0): void {
  const events = [
    ...video.map(({ seconds, keyframe }) => ({ at: seconds, write: () => frames.picture(seconds, keyframe) })),
    ...audio.map((seconds) => ({ at: seconds + lateSeconds, write: () => frames.sound(seconds) })),
  ]
  for (const event of events.toSorted((one, other) => one.at - other.at)) event.write()
}

function timesOf(units: readonly AccessUnit[], kind: 'video' | 'audio'): number[] {
  return units.filter(({ track }) => track.kind === kind).map(({ dts, track }) => dts / track.timescale)
}

/** Without a discontinuity, all that was written is there. */
function expectWhole(rig: PresentationRig, video: readonly Picture[], audio: readonly number[]): void {
  const { segments } = rig.playlist()
  expect(segments.filter(({ discontinuity }) => discontinuity)).to.deep.equal([])
  const units = segments.flatMap((segment) => unitsIn(rig, segment))
  expect(timesOf(units, 'video')).to.have.length(video.length)
  expect(timesOf(units, 'audio')).to.have.length(audio.length)
}

/** What is in a segment is of the time that it is told to have. Times begin with 0. */
function expectInTime(rig: PresentationRig, kind: 'video' | 'audio'): void {
  const { segments } = rig.playlist()
  const media = segments.map((segment) => timesOf(unitsIn(rig, segment), kind))
  // MPEG-TS has all times later.
  const offset = media[0]![0]!
  let startSeconds = 0
  for (const [index, { durationSeconds }] of segments.entries()) {
    const endSeconds = startSeconds + durationSeconds
    // A frame of sound that lies over the end is found in the next segment.
    for (const time of media[index]!) expect(time - offset).to.be.within(startSeconds - 0.03, endSeconds + 0.001)
    startSeconds = endSeconds
  }
}

function expectWholeInTime(rig: PresentationRig, video: readonly Picture[], audio: readonly number[]): void {
  expectWhole(rig, video, audio)
  expectInTime(rig, 'video')
  expectInTime(rig, 'audio')
}

const durationsOf = (rig: PresentationRig) => rig.playlist().segments.map(({ durationSeconds }) => durationSeconds)

describe('presentation: a track that pauses', () => {
  for (const [name, form] of FORMS) {
    const play = (video: readonly Picture[], audio: readonly number[]) => {
      const rig = new PresentationRig({ ...form, window: 100 })
      write(new FrameWriter(rig), video, audio)
      rig.presentation.end()
      return rig
    }

    for (const stepSeconds of [6, 8, 10]) {
      it(`shows a still picture every ${stepSeconds} s with sound as segments of that length: ${name}`, () => {
        const video = stills(...[0, 1, 2, 3, 4].map((index) => index * stepSeconds))
        const audio = sounds(0, 5 * stepSeconds)
        const rig = play(video, audio)
        expect(durationsOf(rig).slice(0, 4)).to.deep.equal(Array.from({ length: 4 }, () => stepSeconds))
        expect(rig.presentation.targetDurationSeconds).to.equal(stepSeconds)
        expectWholeInTime(rig, video, audio)
        expect([...rig.broken]).to.deep.equal([])
      })
    }

    it(`keeps the target duration when still pictures come at longer steps: ${name}`, () => {
      const video = stills(0, 6, 14, 20, 28)
      const audio = sounds(0, 32)
      const rig = play(video, audio)
      const durations = durationsOf(rig)
      expect(durations.slice(0, -1)).to.deep.equal([6, 6.499, 1.501, 6, 6.499, 1.501])
      expect(durations.at(-1)).to.be.closeTo(4, SOUND_SECONDS)
      expectWholeInTime(rig, video, audio)
    })

    it(`goes on with the pictures while the sound pauses for 6 s: ${name}`, () => {
      const video = pictures(0, 20)
      const audio = [...sounds(0, 8), ...sounds(14, 20)]
      const rig = play(video, audio)
      expect(durationsOf(rig)).to.deep.equal(Array.from({ length: 10 }, () => 2))
      expectWhole(rig, video, audio)
      expectInTime(rig, 'video')
      expect([...rig.broken]).to.deep.equal([])
    })

    it(`goes on with the sound while the pictures pause for 7 s, and begins a segment with the next keyframe: ${name}`, () => {
      const video = [...pictures(0, 6), ...pictures(13, 19)]
      const audio = sounds(0, 19)
      const rig = play(video, audio)
      expect(durationsOf(rig)).to.deep.equal([2, 2, 2.499, 2.499, 2.499, 1.503, 2, 2, 2])
      expectWholeInTime(rig, video, audio)
    })

    it(`begins a segment with a keyframe that comes a little after the longest that one may be: ${name}`, () => {
      const video = [...pictures(0, 6), ...pictures(9.3, 13.3)]
      const audio = sounds(0, 13.3)
      const rig = play(video, audio)
      expect(durationsOf(rig)).to.deep.equal([2, 2, 2.499, 2.499, 0.302, 2, 2])
      expectWholeInTime(rig, video, audio)
    })

    it(`begins anew where nothing came for 7 s: ${name}`, () => {
      const rig = play([...pictures(0, 6), ...pictures(13, 19)], [...sounds(0, 6), ...sounds(13, 19)])
      const { segments } = rig.playlist()
      expect(segments.map(({ discontinuity }) => discontinuity)).to.deep.equal([
        false,
        false,
        false,
        true,
        false,
        false,
      ])
      expect(durationsOf(rig)).to.deep.equal([2, 2, 2, 2, 2, 2])
    })

    it(`begins anew once where time jumps, though the sound comes 2 s late: ${name}`, () => {
      const rig = new PresentationRig({ ...form, window: 100 })
      const frames = new FrameWriter(rig)
      write(frames, pictures(0, 8), sounds(0, 6), 2)
      write(frames, pictures(38, 40), sounds(6, 8), 32)
      write(frames, pictures(40, 46), sounds(38, 44), 2)
      expect(rig.playlistText().match(/#EXT-X-DISCONTINUITY\n/gu)).to.have.length(1)
    })
  }
})

describe('presentation: the frame rate that is told', () => {
  const rateOf = (steps: readonly number[]) => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig, { audio: false })
    let seconds = 0
    for (let index = 0; seconds < 12; index += 1) {
      frames.picture(seconds, index % 40 === 0)
      seconds += steps[index % steps.length]!
    }
    return Number(/FRAME-RATE=([\d.]+)/u.exec(rig.multivariantText())![1])
  }
  const repeat = (count: number, step: number) => Array.from({ length: count }, () => step)

  it('is the highest, where pictures come faster at times', () => {
    expect(rateOf([...repeat(40, 1 / 60), ...repeat(20, 1 / 20)])).to.equal(60)
    expect(rateOf([...repeat(25, 1 / 25), ...repeat(10, 1 / 10)])).to.equal(25)
  })

  it('is the usual one, whatever the jitter', () => {
    expect(rateOf([1 / 25])).to.equal(25)
    expect(rateOf([0.033, 0.034, 0.033])).to.equal(30)
    expect(rateOf([0.024, 0.056, 0.03, 0.05])).to.be.closeTo(25, 0.5)
    expect(rateOf([0.005, 0.005, 0.005, 0.005, 0.18])).to.be.closeTo(25, 0.5)
  })
})
