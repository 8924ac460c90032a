import { expect } from 'chai'
import { ScriptedPublisher } from 'sluice/sdk/testing'
import type { PublisherScript } from 'sluice/sdk/testing'
import { FrameWriter, PresentationRig, START_MS, writeStretch } from './fixtures/presentation-rig.ts'
import { MAX_SEGMENT_SIZE_BYTES } from './segment-cutter.ts'

const durationsOf = (rig: PresentationRig, name?: string) =>
  rig.playlist(name).segments.map(({ durationSeconds }) => durationSeconds)

/** All but that segments should begin with a keyframe, where the source gives them none. */
const brokenRules = (rig: PresentationRig) => [...rig.broken].filter((rule) => !rule.startsWith('independent-segments'))

describe('presentation', () => {
  const SOURCES: readonly (readonly [string, PublisherScript])[] = [
    ['video and audio', {}],
    ['B-frames', { bFrames: 2 }],
    ['29.97 frames a second', { fps: [30_000, 1001], gopFrames: 60 }],
    ['23.976 frames a second', { fps: [24_000, 1001], gopFrames: 24 }],
    ['60 frames a second', { fps: 60, gopFrames: 120 }],
    ['video alone', { audio: false }],
    ['audio alone', { video: false }],
    ['1 frame a second', { fps: 1, gopFrames: 2 }],
    ['a keyframe each 10 s', { gopFrames: 250 }],
  ]
  for (const [name, script] of SOURCES) {
    for (const [format, lowLatency] of [
      ['fmp4', true],
      ['fmp4', false],
      ['ts', false],
    ] as const) {
      it(`keeps the rules at each step: ${name}, ${format}${lowLatency ? ' with parts' : ''}`, async () => {
        const rig = new PresentationRig({ format, lowLatency })
        const publisher = new ScriptedPublisher(rig, script)
        for (let turn = 0; turn < 40; turn += 1) {
          publisher.write(script.fps === 1 ? 40 : 60)
          await rig.checkRemoved()
        }
        rig.presentation.end()
        expect([...rig.broken]).to.deep.equal([])
        expect(rig.log.problems).to.deep.equal([])
        expect(rig.presentation.ready).to.equal(true)
        expect(rig.playlist([...rig.presentation.renditions.keys()][0]).ended).to.equal(true)
      })
    }
  }

  describe('of which nobody has seen anything', () => {
    const forms = [
      { format: 'fmp4', lowLatency: false },
      { format: 'ts', lowLatency: false },
    ] as const

    /** When it is ready, in seconds of media, with a keyframe every so many. */
    function readySeconds(options: ConstructorParameters<typeof PresentationRig>[0], gopSeconds: number): number {
      const rig = new PresentationRig(options)
      let seconds = Infinity
      const stop = rig.presentation.onChange(() => {
        if (rig.presentation.ready) seconds = Math.min(seconds, (rig.nowMs - START_MS) / 1000)
      })
      writeStretch(new FrameWriter(rig), { fromSeconds: 0, toSeconds: 40, gopSeconds })
      stop()
      return Math.round(seconds)
    }

    it('is ready with its first segment in low latency', () => {
      expect(readySeconds({}, 1)).to.equal(2)
    })

    it('is ready with three segments in the other forms', () => {
      for (const form of forms) expect(readySeconds(form, 1), form.format).to.equal(6)
      for (const form of forms) expect(readySeconds(form, 4), form.format).to.equal(12)
    })

    it('is ready with ten seconds where those are fewer segments', () => {
      for (const form of forms) expect(readySeconds(form, 5), form.format).to.equal(10)
      for (const form of forms) expect(readySeconds(form, 12), form.format).to.equal(12)
    })

    it('is ready with what there is when its source ends', () => {
      for (const form of forms) {
        const ended = new PresentationRig(form)
        writeStretch(new FrameWriter(ended), { fromSeconds: 0, toSeconds: 3 })
        expect(ended.presentation.ready).to.equal(false)
        ended.endSource()
        expect(ended.presentation.ready).to.equal(true)
        expect(ended.playlist().segments).to.have.length(2)
        const over = new PresentationRig(form)
        writeStretch(new FrameWriter(over), { fromSeconds: 0, toSeconds: 3 })
        over.presentation.end()
        expect([over.presentation.ready, over.playlist().ended]).to.eql([true, true])
      }
    })

    it('is not ready when its source ends before there was anything', () => {
      const rig = new PresentationRig({ format: 'ts' })
      rig.endSource()
      rig.presentation.end()
      expect(rig.presentation.ready).to.equal(false)
    })
  })

  it('cuts where keyframes are, once the fragment is long enough', () => {
    const rig = new PresentationRig({ fragmentMs: 5000 })
    writeStretch(new FrameWriter(rig), { fromSeconds: 0, toSeconds: 30, gopSeconds: 2 })
    expect(durationsOf(rig)).to.deep.equal([6, 6, 6, 6])
    expect(rig.presentation.targetDurationSeconds).to.equal(6)
  })

  it('never passes the target duration when groups of pictures grow', () => {
    for (const format of ['fmp4', 'ts'] as const) {
      const rig = new PresentationRig({ format })
      const frames = new FrameWriter(rig)
      writeStretch(frames, { fromSeconds: 0, toSeconds: 8, gopSeconds: 2 })
      expect(rig.playlistText()).to.include('EXT-X-INDEPENDENT-SEGMENTS')
      writeStretch(frames, { fromSeconds: 8, toSeconds: 40, gopSeconds: 10 })
      expect(brokenRules(rig)).to.deep.equal([])
      expect(rig.playlistText()).to.not.include('EXT-X-INDEPENDENT-SEGMENTS')
      expect(Math.max(...durationsOf(rig))).to.be.within(2.3, 2.499)
      writeStretch(frames, { fromSeconds: 40, toSeconds: 62, gopSeconds: 2 })
      expect(rig.playlistText()).to.include('EXT-X-INDEPENDENT-SEGMENTS')
      expect(durationsOf(rig)).to.deep.equal([2, 2, 2, 2, 2, 2, 2])
      expect(brokenRules(rig)).to.deep.equal([])
    }
  })

  it('goes on without keyframes, from one at the start', () => {
    const rig = new PresentationRig()
    writeStretch(new FrameWriter(rig), { fromSeconds: 0, toSeconds: 60, gopSeconds: 1000 })
    expect(rig.presentation.targetDurationSeconds).to.equal(12)
    expect(brokenRules(rig)).to.deep.equal([])
    expect(durationsOf(rig).every((seconds) => seconds > 11.9)).to.equal(true)
  })

  it('bounds a segment in bytes', () => {
    const rig = new PresentationRig({ lowLatency: false })
    const frames = new FrameWriter(rig, { audio: false })
    for (let index = 0; index < 50; index += 1) {
      frames.picture(index / 25, index === 0, frames.video, MAX_SEGMENT_SIZE_BYTES / 20)
      expect(rig.presentation.sizeBytes).to.be.lessThan(MAX_SEGMENT_SIZE_BYTES * 3)
    }
    expect(durationsOf(rig)).to.deep.equal([0.8, 0.8])
  })

  it('does not wait for audio that is late', () => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig)
    writeStretch(frames, { fromSeconds: 0, toSeconds: 10, audioFromSeconds: 2 })
    expect(brokenRules(rig)).to.deep.equal([])
    expect(durationsOf(rig)).to.deep.equal([2, 2, 2, 2])
    expect(rig.playlistText()).to.not.include('DISCONTINUITY\n')
  })

  it('goes on while the video pauses, and cuts at its keyframe again', () => {
    for (const lowLatency of [true, false]) {
      const rig = new PresentationRig({ lowLatency })
      const frames = new FrameWriter(rig)
      writeStretch(frames, { fromSeconds: 0, toSeconds: 30, videoToSeconds: 6.5 })
      expect(rig.playlist().segments.at(-1)!.sequence - rig.playlist().mediaSequence).to.be.greaterThan(5)
      writeStretch(frames, { fromSeconds: 30, toSeconds: 50 })
      expect(durationsOf(rig)).to.deep.equal([2, 2, 2, 2, 2, 2, 2])
      expect(rig.playlistText()).to.not.include('DISCONTINUITY\n')
      expect(brokenRules(rig)).to.deep.equal([])
    }
  })

  it('stands a rate of frames that varies', () => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig, { audio: false })
    const steps = [0.033, 0.066, 0.04, 0.1, 0.02, 0.016, 0.05]
    let seconds = 0
    for (let index = 0; index < 1500; index += 1) {
      frames.picture(seconds, index % 40 === 0)
      seconds += steps[index % steps.length]!
    }
    expect([...rig.broken]).to.deep.equal([])
    expect(rig.playlist().partTargetSeconds).to.be.lessThan(0.8)
  })

  it('tells a frame that is too long for a part in parts that are not', () => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig, { audio: false })
    let seconds = 0
    for (let index = 0; index < 1000; index += 1) {
      frames.picture(seconds, index % 50 === 0)
      seconds += index > 300 && index % 130 === 7 ? 0.5 : 0.04
    }
    expect(brokenRules(rig)).to.deep.equal([])
    expect(rig.playlist().partTargetSeconds).to.equal(0.2)
  })

  it('tells the wall clock of the first unit, also when the past comes in a burst', () => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig)
    rig.nowMs = START_MS + 107_000
    writeStretch(frames, { fromSeconds: 100, toSeconds: 130, gopSeconds: 10 })
    const [first] = rig.playlist().segments
    expect(first!.programDateTimeMs! - START_MS).to.equal(100_000)
  })

  it('holds what its window needs over an hour, and no more', async () => {
    const rig = new PresentationRig({ checkEvery: 9 })
    const frames = new FrameWriter(rig)
    let largestBytes = 0
    for (let minute = 0; minute < 60; minute += 1) {
      writeStretch(frames, { fromSeconds: minute * 60, toSeconds: minute * 60 + 60, gopSeconds: 2 })
      await rig.checkRemoved()
      if (minute === 1) largestBytes = rig.presentation.sizeBytes
    }
    expect([...rig.broken]).to.deep.equal([])
    expect(rig.presentation.sizeBytes).to.be.at.most(largestBytes * 1.05)
    const segmentBytes = rig.bytes(rig.playlist().segments[0]!.uri!)!.length
    // The window, as much again for those who hold an old playlist, and what is being made.
    expect(rig.presentation.sizeBytes).to.be.at.most(segmentBytes * 18)
    const { mediaSequence, segments } = rig.playlist()
    expect(mediaSequence + segments.length - START_MS / 1000).to.equal(1800 - 1)
    expect(segments.at(-1)!.programDateTimeMs! - START_MS).to.equal(3_596_000)
  })
})
