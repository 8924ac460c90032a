import { expect } from 'chai'
import { recordedParts } from './recorded-parts.ts'

const shown = (
  files: readonly (readonly [startMs: number, endMs: number, clockMs?: number])[],
  startMs: number | undefined,
  endMs: number,
) =>
  recordedParts(
    files.map(([fileMs, toMs, clockMs = 0]) => ({ startMs: fileMs, endMs: toMs, clockMs })),
    { startMs, endMs },
  ).map(({ file, fromMs, toMs }) => [file.startMs, fromMs, toMs])

describe('the parts of recordings in a time', () => {
  const touching = [
    [1000, 2000],
    [2000, 3000],
    [3000, 4000],
  ] as const

  it('are files, cut where the time begins and ends', () => {
    expect(shown(touching, undefined, 9000)).to.eql([
      [1000, undefined, undefined],
      [2000, undefined, undefined],
      [3000, undefined, undefined],
    ])
    expect(shown(touching, 1500, 2500)).to.eql([
      [1000, 500, undefined],
      [2000, undefined, 500],
    ])
  })

  it('have nothing of files that only touch the time', () => {
    expect(shown(touching, 2000, 3000)).to.eql([[2000, undefined, undefined]])
    expect(shown(touching, 4000, 5000)).to.eql([])
  })

  it('have a time once that several files have', () => {
    const overlapping = [
      [0, 3000],
      [1000, 2000],
      [2500, 4000],
      [3999, 5000],
    ] as const
    expect(shown(overlapping, undefined, 9000)).to.eql([
      [0, undefined, undefined],
      [2500, 500, undefined],
      [3999, undefined, undefined],
    ])
  })

  it('have a time of each clock by which files have it', () => {
    const files = [
      [0, 3000, 7],
      [1000, 4000, 8],
      [2000, 5000, 7],
    ] as const
    expect(shown(files, 500, 3500)).to.eql([
      [0, 500, undefined],
      [1000, undefined, 2500],
      [2000, 1000, 1500],
    ])
  })
})
