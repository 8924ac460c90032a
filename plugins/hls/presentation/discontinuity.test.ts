import { expect } from 'chai'
import { aacConfig, h264ConfigFromParameterSets, parseAvcDecoderConfigurationRecord } from 'sluice/sdk/media'
import { SCRIPTED_AUDIO, SCRIPTED_VIDEO } from 'sluice/sdk/testing'
import type { AccessUnit, VideoConfig } from 'sluice/sdk'
import { FrameWriter, PresentationRig, START_MS, writeStretch } from './fixtures/presentation-rig.ts'

/** Where discontinuities are, by the position of the segment, the one being made included. */
function discontinuities(rig: PresentationRig, name?: string): number[] {
  const { segments, open } = rig.playlist(name)
  return [...segments, ...(open ? [open] : [])].flatMap(({ discontinuity }, index) => (discontinuity ? [index] : []))
}

/** The same parameter sets, as far as a decoder of another size would know. */
const OTHER_VIDEO: VideoConfig = (() => {
  const { sps, pps } = parseAvcDecoderConfigurationRecord(SCRIPTED_VIDEO.config.record)
  return { ...h264ConfigFromParameterSets(sps[0]!, pps[0]!), width: 640, height: 480, codecString: 'avc1.64001e' }
})()

describe('presentation: discontinuities', () => {
  for (const format of ['fmp4', 'ts'] as const) {
    it(`goes on when a publisher comes again, ${format}`, async () => {
      const rig = new PresentationRig({ format })
      writeStretch(new FrameWriter(rig), { fromSeconds: 0, toSeconds: 7 })
      const before = rig.playlist()
      rig.endSource()
      // What there was is complete, though nothing may follow for long.
      const between = rig.playlist()
      expect(between.segments.map(({ durationSeconds }) => durationSeconds)).to.deep.equal([2, 2, 2, 1])
      rig.nowMs += 3000
      writeStretch(new FrameWriter(rig), { fromSeconds: 7.02, toSeconds: 13 })
      const after = rig.playlist()
      expect(after.mediaSequence).to.equal(before.mediaSequence)
      expect(discontinuities(rig)).to.deep.equal([4])
      expect(after.segments[4]!.programDateTimeMs! - START_MS).to.be.closeTo(10_000, 100)
      if (format === 'fmp4') expect(after.segments[4]!.initUri).to.not.equal(after.segments[3]!.initUri)
      expect(rig.presentation.file(after.segments[0]!.initUri ?? after.segments[0]!.uri!)).to.have.property('buffers')
      await rig.checkRemoved()
      expect([...rig.broken].filter((rule) => !/^(?:hint|parts)/u.test(rule))).to.deep.equal([])
      expect(rig.log.problems).to.deep.equal([])
    })

    it(`begins anew where the source does not go on from what came, ${format}`, () => {
      const rig = new PresentationRig({ format })
      const frames = new FrameWriter(rig)
      writeStretch(frames, { fromSeconds: 0, toSeconds: 9 })
      void rig.presentation.reader.discontinuity?.()
      expect(discontinuities(rig)).to.deep.equal([])
      writeStretch(frames, { fromSeconds: 9, toSeconds: 15 })
      expect(discontinuities(rig)).to.deep.equal([5])
      expect([...rig.broken]).to.deep.equal([])
    })

    it(`begins anew where the configuration changes, not where it is repeated, ${format}`, () => {
      const rig = new PresentationRig({ format })
      const frames = new FrameWriter(rig)
      writeStretch(frames, { fromSeconds: 0, toSeconds: 5 })
      frames.video = rig.configureTrack(frames.video!, { ...SCRIPTED_VIDEO.config })
      writeStretch(frames, { fromSeconds: 5, toSeconds: 9 })
      expect(discontinuities(rig)).to.deep.equal([])
      frames.video = rig.configureTrack(frames.video, OTHER_VIDEO)
      writeStretch(frames, { fromSeconds: 9, toSeconds: 15 })
      expect(discontinuities(rig)).to.deep.equal([5])
      expect(rig.multivariantText()).to.include('RESOLUTION=640x480')
      expect([...rig.broken]).to.deep.equal([])
    })
  }

  it('counts the discontinuities that its window leaves behind', () => {
    const rig = new PresentationRig({ window: 3 })
    const first = START_MS / 1000
    for (let round = 0; round < 8; round += 1) {
      writeStretch(new FrameWriter(rig), { fromSeconds: round * 6, toSeconds: round * 6 + 6 })
      rig.endSource()
    }
    const playlist = rig.playlist()
    expect(playlist.segments).to.have.length(3)
    expect(playlist.mediaSequence).to.equal(first + 21)
    // That of the first segment is still shown.
    expect(playlist.discontinuitySequence).to.equal((first % 10_000) + 6)
    expect(discontinuities(rig)).to.deep.equal([0])
    expect([...rig.broken].filter((rule) => !/^(?:hint|parts)/u.test(rule))).to.deep.equal([])
  })

  it('follows a change of codec', () => {
    const rig = new PresentationRig({ format: 'ts' })
    const frames = new FrameWriter(rig)
    writeStretch(frames, { fromSeconds: 0, toSeconds: 8 })
    rig.removeTrack(frames.audio!)
    const mp3 = { record: Buffer.alloc(0), sampleRate: 44_100, channels: 2, codecString: 'mp4a.6B' }
    const audio = rig.addTrack({ kind: 'audio', codec: 'mp3', timescale: 44_100, config: mp3 })
    for (let index = 0; index < 200; index += 1) {
      frames.picture(8 + index / 25, index % 25 === 0)
      frames.sound(8 + index / 25, audio)
    }
    expect(discontinuities(rig)).to.deep.equal([4])
    expect(rig.multivariantText()).to.include('mp4a.40.34')
    expect([...rig.broken]).to.deep.equal([])
  })

  it('takes a track in that appears, at a keyframe, and lets one go', () => {
    const rig = new PresentationRig()
    const video = new FrameWriter(rig, { audio: false })
    writeStretch(video, { fromSeconds: 0, toSeconds: 5.5 })
    const audio = rig.addTrack(SCRIPTED_AUDIO)
    const index = (seconds: number) => Math.round(seconds * 25)
    for (let frame = index(5.52); frame < index(12); frame += 1) {
      video.picture(frame / 25, frame % 25 === 0)
      video.sound(frame / 25, audio)
    }
    expect(discontinuities(rig)).to.deep.equal([3])
    expect(rig.playlist().segments[2]!.durationSeconds).to.equal(2)
    expect(rig.multivariantText()).to.include('mp4a')
    rig.removeTrack(audio)
    writeStretch(video, { fromSeconds: 12, toSeconds: 18 })
    expect(discontinuities(rig)).to.have.length(2)
    expect(rig.multivariantText()).to.not.include('mp4a')
    expect([...rig.broken]).to.deep.equal([])
  })

  it('goes on with the sound when the pictures go', () => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig)
    writeStretch(frames, { fromSeconds: 0, toSeconds: 6 })
    rig.removeTrack(frames.video!)
    for (let index = 0; index < 300; index += 1) frames.sound(6 + (index * 1024) / 44_100)
    expect(discontinuities(rig)).to.deep.equal([3])
    expect(rig.playlist().segments).to.have.length(6)
    expect([...rig.broken]).to.deep.equal([])
  })

  it('waits for a keyframe with the sound of another configuration', () => {
    const rig = new PresentationRig()
    const frames = new FrameWriter(rig)
    writeStretch(frames, { fromSeconds: 0, toSeconds: 6.5 })
    // Mono.
    frames.audio = rig.configureTrack(frames.audio!, aacConfig(Buffer.from([0x12, 0x08])))
    for (let frame = 163; frame < 300; frame += 1) {
      frames.picture(frame / 25, frame % 25 === 0)
      frames.sound(frame / 25)
    }
    expect(discontinuities(rig)).to.deep.equal([4])
    expect(rig.playlist().segments[3]!.durationSeconds).to.equal(1)
    expect([...rig.broken]).to.deep.equal([])
  })

  it('begins anew where time jumps', () => {
    for (const jumpSeconds of [30, -4.9, -20]) {
      const rig = new PresentationRig()
      const frames = new FrameWriter(rig)
      writeStretch(frames, { fromSeconds: 100, toSeconds: 109 })
      writeStretch(frames, { fromSeconds: 109 + jumpSeconds, toSeconds: 113 + jumpSeconds })
      const expected = jumpSeconds === -4.9 ? [] : [5]
      expect(discontinuities(rig)).to.deep.equal(expected)
      expect(rig.playlist().segments.every(({ durationSeconds }) => durationSeconds > 0)).to.equal(true)
      expect([...rig.broken].filter((rule) => !rule.startsWith('independent'))).to.deep.equal([])
    }
  })

  it('begins anew with what viewers know nothing of', () => {
    const rig = new PresentationRig()
    const video = new FrameWriter(rig, { audio: false })
    writeStretch(video, { fromSeconds: 0, toSeconds: 1 })
    const audio = rig.addTrack(SCRIPTED_AUDIO)
    for (let frame = 25; frame < 200; frame += 1) {
      video.picture(frame / 25, frame % 25 === 0)
      video.sound(frame / 25, audio)
    }
    expect(discontinuities(rig)).to.deep.equal([])
    expect(rig.playlist().mediaSequence).to.equal(START_MS / 1000)
    expect(rig.playlist().segments).to.have.length(3)
    expect([...rig.broken]).to.deep.equal([])
  })

  it('never tells an earlier time of day, though a publisher sent more than the clock had time for', () => {
    const rig = new PresentationRig()
    const unclocked = {
      addTrack: rig.addTrack.bind(rig),
      configureTrack: rig.configureTrack.bind(rig),
      lost: () => undefined,
      removeTrack: rig.removeTrack.bind(rig),
      write: (unit: AccessUnit) => rig.presentation.reader.unit(unit),
    }
    writeStretch(new FrameWriter(unclocked), { fromSeconds: 0, toSeconds: 8 })
    rig.endSource()
    writeStretch(new FrameWriter(unclocked), { fromSeconds: 8, toSeconds: 13 })
    const times = rig.playlist().segments.map(({ programDateTimeMs }) => programDateTimeMs! - START_MS)
    expect(times.slice(1).map((time, index) => time - times[index]!)).to.deep.equal([2000, 2000, 2000, 2000, 2000])
  })
})
