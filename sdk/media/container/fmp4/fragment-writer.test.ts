import { expect } from 'chai'
import * as fc from 'fast-check'
import { AccessUnit } from '../../access-unit.ts'
import { aacConfig } from '../../codec/aac/config.ts'
import type { AudioTrack, VideoTrack } from '../../track.ts'
import { fromHex } from '../flv/fixtures/bytes.ts'
import { sampleTrack } from '../flv/fixtures/tracks.ts'
import { readFragment } from './fixtures/boxes.ts'
import { FragmentWriter } from './fragment-writer.ts'
import { FMP4_AUDIO_JITTER_MS } from './track-fragment-writer.ts'

const VIDEO = { ...sampleTrack('h264').init, id: 0 } as VideoTrack
const AUDIO: AudioTrack = { kind: 'audio', codec: 'aac', timescale: 1000, config: aacConfig(fromHex('1210')), id: 1 }
const AAC_SAMPLES = 1024
const AAC_RATE = 44_100

function picture(dts: number, { cts = 0, keyframe = false, data = fromHex('00000002 419a') } = {}): AccessUnit {
  return AccessUnit.fromData(VIDEO, dts, dts + cts, keyframe, data)
}

function sound(dts: number, data = fromHex('2100')): AccessUnit {
  return AccessUnit.fromData(AUDIO, dts, dts, true, data)
}

function runsOf(writer: FragmentWriter, next?: AccessUnit) {
  return readFragment(writer.flush(next)!.data).runs
}

describe('FragmentWriter', () => {
  it('makes a fragment of several tracks', () => {
    const writer = new FragmentWriter([VIDEO, AUDIO])
    const units = [
      picture(40, { cts: 80, keyframe: true }),
      sound(40),
      picture(80, { cts: -10 }),
      sound(63),
      picture(120),
    ]
    for (const unit of units) writer.write(unit)
    const fragment = writer.flush()!
    expect(fragment).to.deep.include({ startSeconds: 0.04, durationSeconds: 0.12, independent: true })
    const { sequenceNumber, runs } = readFragment(fragment.data)
    expect(sequenceNumber).to.equal(1)
    const frame = fromHex('00000002 419a')
    expect(runs).to.deep.equal([
      {
        trackId: 1,
        baseDts: 40,
        samples: [
          { duration: 40, cts: 80, keyframe: true, data: frame },
          { duration: 40, cts: -10, keyframe: false, data: frame },
          { duration: 40, cts: 0, keyframe: false, data: frame },
        ],
      },
      {
        trackId: 2,
        baseDts: 1764,
        samples: [1, 2].map(() => ({ duration: AAC_SAMPLES, cts: 0, keyframe: true, data: fromHex('2100') })),
      },
    ])
    expect(writer.flush()).to.equal(null)
  })

  it('ends the last picture where the next begins, or else goes on at the same pace', () => {
    const writer = new FragmentWriter([VIDEO, AUDIO])
    const durations: number[] = []
    const flush = (next?: AccessUnit) =>
      durations.push(...runsOf(writer, next)[0]!.samples.map(({ duration }) => duration))
    writer.write(picture(0))
    flush()
    writer.write(picture(40))
    flush(picture(73))
    writer.write(picture(73))
    flush(sound(99))
    writer.write(picture(106))
    flush(picture(106))
    writer.write(picture(9000))
    flush()
    expect(durations).to.deep.equal([40, 33, 33, 33, 33])
  })

  it('numbers fragments, and tells which can be started at', () => {
    const writer = new FragmentWriter([VIDEO, AUDIO])
    const made = [
      [picture(0, { keyframe: true })],
      [picture(40)],
      [sound(40)],
      [picture(80), picture(120, { keyframe: true })],
    ]
    const fragments = made.map((units) => {
      for (const unit of units) writer.write(unit)
      return writer.flush()!
    })
    expect(fragments.map(({ independent }) => independent)).to.deep.equal([true, false, false, false])
    expect(fragments.map(({ data }) => readFragment(data).sequenceNumber)).to.deep.equal([1, 2, 3, 4])
    const audioOnly = new FragmentWriter([AUDIO])
    audioOnly.write(sound(0))
    expect(audioOnly.flush()).to.deep.include({ independent: true, durationSeconds: AAC_SAMPLES / AAC_RATE })
  })

  it('gives audio exact durations for an hour, from times in milliseconds, cut anywhere', () => {
    const frames = Math.floor((3600 * AAC_RATE) / AAC_SAMPLES)
    const writer = new FragmentWriter([AUDIO])
    let end = 0
    for (let index = 0; index < frames; index++) {
      writer.write(sound(Math.floor((index * AAC_SAMPLES * 1000) / AAC_RATE)))
      if (index % 43 !== 0 && index !== frames - 1) continue
      const [run] = runsOf(writer)
      expect(run!.baseDts).to.equal(end)
      end += run!.samples.reduce((sum, { duration }) => sum + duration, 0)
      expect(run!.samples.every(({ duration }) => duration === AAC_SAMPLES)).to.equal(true)
    }
    expect(end).to.equal(frames * AAC_SAMPLES)
  }).timeout(10_000)

  it('never leaves the times of audio that drifts by more than the jitter allowed', () => {
    const steps = fc.array(fc.integer({ min: 15, max: 31 }), { minLength: 1, maxLength: 100 })
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 9 }), (stepsMs, length) => {
        const writer = new FragmentWriter([AUDIO])
        let dtsMs = 0
        let end = 0
        for (const [index, stepMs] of stepsMs.entries()) {
          writer.write(sound(dtsMs))
          dtsMs += stepMs
          if (index % length !== 0) continue
          const [run] = runsOf(writer)
          const last = run!.baseDts + run!.samples.slice(0, -1).reduce((sum, { duration }) => sum + duration, 0)
          expect(Math.abs((last / AAC_RATE) * 1000 - (dtsMs - stepMs))).to.be.at.most(FMP4_AUDIO_JITTER_MS + 1)
          expect(last).to.be.at.least(end)
          end = last + 1
        }
      }),
    )
  })

  it('leaves the last of the sound beside pictures to the next fragment, where it ends as its successor begins', () => {
    const writer = new FragmentWriter([VIDEO, AUDIO])
    for (const unit of [picture(0), sound(0), sound(23)]) writer.write(unit)
    const fragments = [runsOf(writer, picture(40))]
    for (const unit of [picture(40), sound(166)]) writer.write(unit)
    fragments.push(runsOf(writer, picture(200)))
    writer.write(picture(200))
    fragments.push(runsOf(writer))
    const found = fragments.map((runs) =>
      runs.filter(({ trackId }) => trackId === 2).map(({ baseDts, samples }) => [baseDts, samples[0]!.duration]),
    )
    const late = Math.floor(0.166 * AAC_RATE)
    expect(found).to.deep.equal([[[0, AAC_SAMPLES]], [[AAC_SAMPLES, late - AAC_SAMPLES]], [[late, AAC_SAMPLES]]])
  })

  it('makes no fragment of sound alone whose end it is to wait for', () => {
    const writer = new FragmentWriter([VIDEO, AUDIO])
    writer.write(sound(0))
    expect(writer.flush(picture(0))).to.equal(null)
    expect(runsOf(writer, sound(40))[0]!.samples.map(({ duration }) => duration)).to.deep.equal([0.04 * AAC_RATE])
  })

  it('leaves no break between fragments, whatever steps the sound makes and wherever it is cut', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.boolean()), { minLength: 2, maxLength: 100 })
    for (const beside of [[VIDEO], []]) {
      fc.assert(
        fc.property(steps, (cases) => {
          const writer = new FragmentWriter([...beside, AUDIO])
          const runs: { baseDts: number; endDts: number; count: number }[] = []
          const take = (next?: AccessUnit) => {
            const fragment = writer.flush(next)
            for (const { baseDts, samples } of fragment ? readFragment(fragment.data).runs : []) {
              const endDts = samples.reduce((sum, { duration }) => sum + duration, baseDts)
              runs.push({ baseDts, endDts, count: samples.length })
            }
          }
          let dtsMs = 0
          for (const [stepMs, cut] of cases) {
            if (cut) take(beside.length > 0 ? picture(dtsMs + 1) : sound(dtsMs))
            writer.write(sound(dtsMs))
            dtsMs += stepMs
          }
          take()
          expect(runs.reduce((sum, { count }) => sum + count, 0)).to.equal(cases.length)
          for (const [index, { baseDts }] of runs.entries()) {
            if (index > 0) expect(baseDts).to.be.at.most(runs[index - 1]!.endDts)
          }
        }),
      )
    }
  })

  it('keeps a gap in the audio', () => {
    const writer = new FragmentWriter([AUDIO])
    for (const dts of [0, 23, 500]) writer.write(sound(dts))
    const [run] = runsOf(writer)
    expect(run!.samples.map(({ duration }) => duration)).to.deep.equal([1024, 22_050 - 1024, 1024])
  })

  it('keeps pictures of one time apart, and their presentation', () => {
    const writer = new FragmentWriter([VIDEO])
    for (const unit of [picture(40), picture(40, { cts: 5 }), picture(80)]) writer.write(unit)
    const [run] = runsOf(writer)
    expect(run!.samples.map(({ duration, cts }) => [duration, cts])).to.deep.equal([
      [1, 0],
      [39, 4],
      [39, 0],
    ])
  })

  it('tells times past 32 bits, and refuses those below 0', () => {
    const writer = new FragmentWriter([VIDEO])
    writer.write(picture(2 ** 40 + 7))
    expect(runsOf(writer)[0]!.baseDts).to.equal(2 ** 40 + 7)
    writer.write(picture(2 ** 40 + 47))
    expect(runsOf(writer)[0]!.baseDts).to.equal(2 ** 40 + 47)
    const early = new FragmentWriter([VIDEO])
    early.write(picture(-1))
    expect(() => early.flush()).to.throw(RangeError)
  })

  it('knows how long the frames of each codec are', () => {
    const wanted = { aac: 1024, opus: 960, flac: 4608, mp3: 576, ac3: 1536, eac3: 1536, pcma: 2, pcmu: 1 } as const
    for (const [codec, samples] of Object.entries(wanted) as [keyof typeof wanted, number][]) {
      const track = { ...sampleTrack(codec).init, id: 0 }
      const writer = new FragmentWriter([track])
      writer.write(AccessUnit.fromData(track, 0, 0, true, sampleTrack(codec).frame))
      const [run] = runsOf(writer)
      expect(run!.samples[0]!.duration, codec).to.equal(samples)
    }
  })

  it('knows that AAC with SBR gives twice the samples of its core', () => {
    const track = { ...AUDIO, config: aacConfig(fromHex('2b920800')) }
    const writer = new FragmentWriter([track])
    writer.write(AccessUnit.fromData(track, 0, 0, true, fromHex('2100')))
    expect(writer.flush()?.durationSeconds).to.equal(2048 / AAC_RATE)
  })

  it('takes audio that does not tell how long it is', () => {
    const track = { ...sampleTrack('opus').init, id: 0 }
    const writer = new FragmentWriter([track])
    for (const dts of [0, 25]) writer.write(AccessUnit.fromData(track, dts, dts, true, Buffer.of(0xff, 0)))
    expect(runsOf(writer)[0]!.samples.map(({ duration }) => duration)).to.deep.equal([1200, 1200])
    writer.write(AccessUnit.fromData(track, 50, 50, true, Buffer.of(0xff, 0)))
    expect(runsOf(writer)[0]!.samples.map(({ duration }) => duration)).to.deep.equal([1200])
  })

  it('says no more of a gap, or of an offset, than its field holds', () => {
    const writer = new FragmentWriter([VIDEO])
    for (const unit of [picture(0, { cts: 2 ** 40 }), picture(2 ** 40, { cts: -(2 ** 39) })]) writer.write(unit)
    const [run] = runsOf(writer)
    expect(run!.samples.map(({ duration, cts }) => [duration, cts])).to.deep.equal([
      [2 ** 32 - 1, 2 ** 31 - 1],
      [40, -(2 ** 31 - 1)],
    ])
  })

  it('counts the times of pictures in 10 MHz where they come finer', () => {
    const track = { ...VIDEO, timescale: 1_000_000_000 }
    const writer = new FragmentWriter([track])
    writer.write(AccessUnit.fromData(track, 3_000_000_000, 5_000_000_000, true, fromHex('00000002 6588')))
    const [run] = runsOf(writer)
    expect(run).to.deep.include({ baseDts: 30_000_000 })
    expect(run!.samples[0]).to.deep.include({ cts: 20_000_000, duration: 400_000 })
  })

  it('refuses units of other tracks', () => {
    expect(() => new FragmentWriter([VIDEO]).write(sound(0))).to.throw(RangeError)
  })
})
