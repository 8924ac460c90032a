import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../../../test/support/soak.ts'
import { AccessUnit } from '../../../access-unit.ts'
import { aacConfig } from '../../../codec/aac/config.ts'
import { flacConfig } from '../../../codec/flac/config.ts'
import { serializeFlacStreamInfo } from '../../../codec/flac/stream-info.ts'
import { opusConfig } from '../../../codec/opus/config.ts'
import { serializeOpusHead } from '../../../codec/opus/opus-head.ts'
import type { Track } from '../../../track.ts'
import { fmp4TrackOf } from '../carriage.ts'
import { CarriedTrack } from './carried-track.ts'

const AAC_LC = Buffer.from('1210', 'hex')
const AUDIO: Track = { kind: 'audio', codec: 'aac', timescale: 1000, config: aacConfig(AAC_LC), id: 0 }
const FRAME = Buffer.from('audio frame')
const FRAME_TICKS = 1024
const FRAME_MS = FRAME_TICKS / 44.1
/** A little more than half a second of sound, which proves a gap where there is no jitter. */
const PROOF_FRAMES = 25
/** What the fragment writer evens out. */
const JITTER_MS = 10

/** A frame as viewers get it, or silence; `cameMs` is when the frame came. */
type Sample = {
  readonly startTicks: number
  readonly durationTicks: number
  readonly silent: boolean
  readonly cameMs: number
}

type Source = { readonly track: Track; readonly frame: Buffer }

/** The samples that are made of frames at some times. */
function samplesOf(timesMs: readonly number[], { track, frame }: Source = { track: AUDIO, frame: FRAME }): Sample[] {
  const carried = new CarriedTrack(fmp4TrackOf(track))
  return timesMs.flatMap((cameMs) => {
    const taken = carried.samples(AccessUnit.fromData(track, cameMs, cameMs, true, frame))
    let endTicks = taken?.baseDts ?? 0
    return (taken?.samples ?? []).map(({ durationTicks, sizeBytes }): Sample => {
      const startTicks = endTicks
      endTicks += durationTicks
      return { startTicks, durationTicks, silent: sizeBytes !== frame.length, cameMs }
    })
  })
}

/** Times of so many frames by the sample clock, in milliseconds as RTMP has them. */
function frameTimes(count: number, startMs = 0): number[] {
  return Array.from({ length: count }, (_, index) => Math.floor(startMs + index * FRAME_MS))
}

/** How many frames of silence there are, and how much later than they came the last frames are, in milliseconds. */
function resultOf(samples: readonly Sample[]) {
  const frames = samples.filter(({ silent }) => !silent)
  const lateMs = frames.slice(-10).map(({ startTicks, cameMs }) => startTicks / 44.1 - cameMs)
  return { frames: frames.length, silent: samples.length - frames.length, lateMs: Math.max(...lateMs.map(Math.abs)) }
}

/** Players go on without a break: time goes forward, by less than two frames. */
function expectGoesOn(samples: readonly Sample[]): void {
  for (const [index, { startTicks }] of samples.entries()) {
    const before = samples[index - 1]
    if (!before) continue
    expect(startTicks).to.be.above(before.startTicks)
    expect(startTicks - before.startTicks).to.be.below(2 * before.durationTicks)
  }
}

function expectUntouched(timesMs: readonly number[]): void {
  const samples = samplesOf(timesMs)
  expect(samples.map(({ durationTicks, silent }) => [durationTicks, silent])).to.eql(
    timesMs.map(() => [FRAME_TICKS, false]),
  )
  expectGoesOn(samples)
}

describe('SoundTimes', () => {
  it('leave sound alone that comes as it should, in milliseconds', () => {
    const samples = samplesOf(frameTimes(2000))
    expect(samples.map(({ startTicks }) => startTicks)).to.eql(samples.map((_, index) => index * FRAME_TICKS))
  })

  it('neither add nor leave out frames that jitter', () => {
    // Each frame comes up to 100 ms too early or too late, and at each quarter of a second one of either kind.
    const shifts = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 100, maxLength: 300 })
    fc.assert(
      fc.property(shifts, (shiftsMs) => {
        const timesMs = frameTimes(shiftsMs.length, 1000).map((timeMs, index) => {
          return index === 0 ? timeMs : timeMs + (index % 11 < 5 ? -1 : 1) * shiftsMs[index]!
        })
        expectUntouched(timesMs)
      }),
    )
  })

  it('neither add nor leave out frames that come in bursts with one time', () => {
    for (const burst of [2, 4, 8]) {
      const timesMs = frameTimes(1000, 1000)
      expectUntouched(timesMs.map((_, index) => timesMs[index - (index % burst)]!))
    }
  })

  it('neither add nor leave out frames that come in bursts of up to four, each as its first or its last', () => {
    const bursts = fc.sample(fc.record({ length: fc.integer({ min: 1, max: 4 }), last: fc.boolean() }), {
      numRuns: rounds(1000),
      seed: 1,
    })
    let start = 0
    const timesMs = bursts.flatMap(({ length, last }) => {
      const timeMs = Math.floor((start + (last ? length : 0)) * FRAME_MS)
      start += length
      return Array<number>(length).fill(timeMs)
    })
    expectUntouched(timesMs)
  })

  it('neither add nor leave out frames that come late for a moment', () => {
    // All stands still for 200 ms, and then comes at once.
    const timesMs = frameTimes(300)
    expectUntouched(timesMs.map((timeMs, index) => (index >= 100 && index < 108 ? timesMs[108]! : timeMs)))
  })

  it('go on after a gap, whose frames they fill in with silence', () => {
    for (const missing of [1, 2, 5, 20, 100, 400]) {
      const start = frameTimes(100)
      const after = frameTimes(100 + missing + 100).slice(100 + missing)
      const samples = samplesOf([...start, ...after])
      expectGoesOn(samples)
      const { frames, silent, lateMs } = resultOf(samples)
      expect([frames, silent]).to.eql([200, missing])
      expect(lateMs).to.be.below(JITTER_MS)
      // A short gap might be jitter for half a second.
      const filledAt = samples.findIndex(({ silent }) => silent)
      expect(filledAt).to.be.within(100, 100 + PROOF_FRAMES)
      if (missing >= 20) expect(filledAt).to.equal(100)
    }
  })

  it('are right again after a gap of parts of a frame', () => {
    for (const gapMs of [15, 20, 40, 120, 500, 1015, 2000]) {
      const samples = samplesOf([...frameTimes(100), ...frameTimes(100, 100 * FRAME_MS + gapMs)])
      expectGoesOn(samples)
      const { frames, silent, lateMs } = resultOf(samples)
      expect([frames, silent]).to.eql([100 + 100, Math.floor((gapMs + 2) / FRAME_MS)])
      expect(lateMs).to.be.below(JITTER_MS)
    }
  })

  it('make up for single frames that are lost now and then', () => {
    const samples = samplesOf(frameTimes(1000).filter((_, index) => index % 37 !== 36))
    expectGoesOn(samples)
    const { silent, lateMs } = resultOf(samples)
    expect(silent).to.be.within(25, 27)
    expect(lateMs).to.be.below(2 * FRAME_MS)
  })

  it('take back by and by what they filled in for frames that were only late', () => {
    // All stands still for 400 ms, and then comes at once.
    const timesMs = frameTimes(400)
    const samples = samplesOf(timesMs.map((timeMs, index) => (index >= 100 && index < 117 ? timesMs[117]! : timeMs)))
    expectGoesOn(samples)
    const { frames, silent, lateMs } = resultOf(samples)
    expect(silent).to.be.within(16, 17)
    expect(frames).to.equal(400 - silent)
    expect(lateMs).to.be.below(FRAME_MS)
  })

  it('follow a clock that runs fast or slow, without silence', () => {
    for (const rate of [0.995, 1.005]) {
      const samples = samplesOf(frameTimes(2000).map((timeMs) => Math.round(timeMs * rate)))
      expectGoesOn(samples)
      const { frames, silent, lateMs } = resultOf(samples)
      expect([frames, silent]).to.eql([2000, 0])
      expect(lateMs).to.be.below(40)
    }
  })

  it('never make players break or time go back, whatever comes but breaks', () => {
    const steps = fc.array(fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: -1000, max: 9000 })), {
      minLength: 1,
      maxLength: 200,
    })
    fc.assert(
      fc.property(steps, (stepsMs) => {
        let timeMs = 0
        const timesMs = stepsMs.map((stepMs) => (timeMs = Math.max(0, timeMs + stepMs)))
        expectGoesOn(samplesOf(timesMs))
      }),
    )
  })

  it('fill a gap after packets of several Opus frames with as many frames of one', () => {
    const head = { version: 1, channels: 2, preSkip: 312, inputSampleRate: 48_000, outputGain: 0, mappingFamily: 0 }
    const config = opusConfig(serializeOpusHead({ ...head, mapping: undefined }))
    // Three of 20 ms.
    const source = { track: { ...AUDIO, codec: 'opus', config } as Track, frame: Buffer.from('fb03aabbcc', 'hex') }
    const samples = samplesOf([0, 60, 420, 480], source)
    const durations = samples.map(({ durationTicks, silent }) => `${silent ? 'silent ' : ''}${durationTicks / 48}`)
    expect(durations).to.eql(['60', '60', ...Array<string>(15).fill('silent 20'), '60', '60'])
  })

  it('are those that it came with for sound that does not tell how long it is', () => {
    const info = { minFrameSizeBytes: 0, maxFrameSizeBytes: 0, totalSamples: 0, md5: Buffer.alloc(16) }
    const format = { minBlockSize: 16, maxBlockSize: 4608, sampleRate: 44_100, channels: 2, bitsPerSample: 16 }
    const config = flacConfig(serializeFlacStreamInfo({ ...info, ...format }))
    const timesMs = [0, 90, 130, 220, 310, 340, 700, 790]
    const samples = samplesOf(timesMs, { track: { ...AUDIO, codec: 'flac', config } as Track, frame: FRAME })
    expect(samples.map(({ startTicks }) => startTicks)).to.eql(timesMs.map((timeMs) => Math.floor(timeMs * 44.1)))
  })

  it('take times as they are where the stream breaks', () => {
    const samples = samplesOf([0, 11_000, 11_023])
    expect(samples.map(({ durationTicks }) => durationTicks)).to.eql(Array(3).fill(FRAME_TICKS))
    expect(samples[1]!.startTicks).to.equal(11 * 44_100)
  })
})
