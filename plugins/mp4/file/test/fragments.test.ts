import { expect } from 'chai'
import type { AccessUnit } from 'sluice/sdk'
import { Mp4Recording } from '../mp4-recording.ts'
import { fragmentedFile } from './fragmented-file.ts'
import { MemoryBytes } from './memory-bytes.ts'
import { dtsMs, openBytes, unitsOf } from './recording-units.ts'

const count = (all: readonly AccessUnit[], kind: string) => all.filter(({ track }) => track.kind === kind).length

describe('A fragmented MP4', () => {
  for (const timed of [true, false]) {
    it(`gives the units of all fragments in the order of their times, which they ${timed ? '' : 'do not '}tell`, async () => {
      const recording = await openBytes(fragmentedFile({ seconds: 4, timed }))
      expect(recording.durationMs).to.equal(4000)
      const all = await unitsOf(recording)
      expect([count(all, 'video'), count(all, 'audio')]).to.eql([100, 200])
      const times = all.map(dtsMs)
      expect([times[0], times.at(-1)]).to.eql([0, 3980])
      expect(times).to.eql(times.toSorted((one, other) => one - other))
    })
  }

  for (const otherTables of [undefined, 0, 3]) {
    it(`goes to the keyframe at a time, with ${otherTables ?? 'no'} tables before its own at the end`, async () => {
      const recording = await openBytes(
        fragmentedFile({ seconds: 6, ...(otherTables !== undefined && { otherTables }) }),
      )
      for (const [positionMs, keyframeMs] of [
        [3500, 3000],
        [0, 0],
        [1000, 1000],
        [99_000, 5000],
      ] as const) {
        await recording.seek(positionMs)
        const [first, ...rest] = await unitsOf(recording, 20)
        expect([first!.track.kind, first!.keyframe, dtsMs(first!)]).to.eql(['video', true, keyframeMs])
        for (const unit of rest) expect(dtsMs(unit)).to.be.at.least(keyframeMs)
      }
    })
  }

  it('is played to its end without a track whose beginning is lost', async () => {
    const sound = await openBytes(fragmentedFile({ seconds: 500, lost: 'video' }))
    expect(sound.tracks.map(({ kind }) => kind)).to.eql(['audio'])
    expect(count(await unitsOf(sound), 'audio')).to.equal(500 * 50)
    await sound.seek(450_000)
    expect(dtsMs((await unitsOf(sound, 1))[0]!)).to.equal(450_000)
    const pictures = await openBytes(fragmentedFile({ seconds: 300, lost: 'audio' }))
    expect(pictures.tracks.map(({ kind }) => kind)).to.eql(['video'])
    expect(count(await unitsOf(pictures), 'video')).to.equal(300 * 25)
  })

  it('goes back to its beginning where an empty edit puts pictures off', async () => {
    const recording = await openBytes(fragmentedFile({ seconds: 3, putOffMs: 500 }))
    for (const positionMs of [0, 200, 0]) {
      const before = await unitsOf(recording)
      expect(count(before, 'video')).to.equal(75)
      await recording.seek(positionMs)
    }
    const [first] = await unitsOf(recording, 1)
    expect([first!.track.kind, dtsMs(first!)]).to.eql(['video', 500])
  })

  it('is looked through with a read a fragment', async () => {
    // Fragments of about 9 KB lie two by two in what is read.
    const bytes = new MemoryBytes(fragmentedFile({ seconds: 100 }))
    await Mp4Recording.open(bytes)
    expect(bytes.reads).to.be.at.most(100 + 10)
  })

  it('is not read by gigabytes for its first sample', async () => {
    const bytes = new MemoryBytes(
      Buffer.concat([fragmentedFile({ seconds: 2, firstAudioBytes: 0x100_0001 }), Buffer.alloc(0x110_0000)]),
    )
    const recording = await Mp4Recording.open(bytes)
    expect(recording.tracks.map(({ kind }) => kind)).to.eql(['video'])
    expect(bytes.mostBytes).to.be.at.most(0x100_0000)
  })
})
