import { expect } from 'chai'
import fc from 'fast-check'
import { playbackParts, PlaybackTimes } from './playback-part.ts'
import type { FileEntry } from '../catalogue/file-entry.ts'
import { fileEntry } from '../fixtures/file-entry.ts'

const entry = (startMs: number, endMs: number) => fileEntry({ id: startMs + 1, startMs, endMs })
const spans = (entries: readonly FileEntry[], startMs?: number, endMs?: number) =>
  playbackParts(entries, { startMs, endMs }).map(({ entry: of, fromMs, toMs }) => [
    of.startMs + fromMs,
    of.startMs + toMs,
  ])

describe('the parts of a playback', () => {
  const files = [entry(1000, 2000), entry(2000, 3000), entry(5000, 6000)]

  it('are both of two files of one time, where the clock was set back between them', () => {
    const before = { ...entry(1000, 5000), clockMs: 9000 }
    const after = { ...entry(2000, 6000), clockMs: 8000 }
    expect(spans([before, after])).to.eql([
      [1000, 5000],
      [2000, 6000],
    ])
    expect(spans([before, after], 3000, 4000)).to.eql([
      [3000, 4000],
      [3000, 4000],
    ])
  })

  it('are all files without a time, and parts of the first and last with one', () => {
    expect(spans(files)).to.eql([
      [1000, 2000],
      [2000, 3000],
      [5000, 6000],
    ])
    expect(spans(files, 1500, 5500)).to.eql([
      [1500, 2000],
      [2000, 3000],
      [5000, 5500],
    ])
    expect(spans(files, 2000, 2000)).to.eql([])
    expect(spans(files, 3500, 4500)).to.eql([])
  })

  it('have a time that two files have from the one that began first', () => {
    expect(spans([entry(0, 3000), entry(1000, 2000), entry(2500, 4000)])).to.eql([
      [0, 3000],
      [3000, 4000],
    ])
  })

  it('follow one another without the time in which nothing was recorded', () => {
    const times = new PlaybackTimes(playbackParts(files, { startMs: 1500, endMs: 5500 }))
    expect(times.durationMs).to.equal(2000)
    expect([0, 400, 500, 1499, 1500, 2000].map((ms) => times.dateOf(ms))).to.eql([1500, 1900, 2000, 2999, 5000, 5500])
    expect([0, 1500, 1900, 2500, 4000, 5000, 5200, 9000].map((ms) => times.positionOf(ms))).to.eql([
      0, 0, 400, 1000, 1500, 1500, 1700, 2000,
    ])
  })

  it('have a date for each position, by which it is found again', () => {
    const lengths = fc.array(fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 1000 })), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(lengths, fc.nat(10_000), (given, asked) => {
        let atMs = 0
        const entries = given.map(([gapMs, lengthMs]) => {
          atMs += gapMs + lengthMs
          return entry(atMs - lengthMs, atMs)
        })
        const times = new PlaybackTimes(playbackParts(entries, { startMs: undefined, endMs: undefined }))
        const positionMs = asked % times.durationMs
        expect(times.positionOf(times.dateOf(positionMs))).to.equal(positionMs)
      }),
    )
  })
})
