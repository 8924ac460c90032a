import { expect } from 'chai'
import fc from 'fast-check'
import type { TrackFragment } from 'sluice/sdk/media'
import { cutFragment, type CutWindow } from './fragment-cut.ts'

const SIZE_BYTES = 10
const samples = (...durations: readonly number[]) =>
  durations.map((durationTicks) => ({ durationTicks, sizeBytes: SIZE_BYTES, flags: 0, cts: 0 }))
const FRAGMENT: TrackFragment = {
  trackId: 1,
  baseDts: 100,
  runs: [
    {
      offset: 1e3,
      samples: samples(40, 40),
    },
    {
      offset: 2e3,
      samples: samples(40, 40, 40),
    },
  ],
}

/** When each sample is decoded, and where it lies. */
function placesOf({ baseDts = 0, runs }: TrackFragment): [dts: number, offset: number][] {
  let dts = baseDts
  return runs.flatMap(({ offset, samples: all }) =>
    all.map(({ durationTicks }, index): [number, number] => {
      dts += durationTicks
      return [dts - durationTicks, offset + index * SIZE_BYTES]
    }),
  )
}

describe('the cut of a fragment', () => {
  it('is the fragment itself where all of it is taken, and where it has no time', () => {
    const timeless = { ...FRAGMENT, baseDts: undefined }
    expect(cutFragment(FRAGMENT, { fromDts: -Infinity, toDts: Infinity })).to.equal(FRAGMENT)
    expect(cutFragment(FRAGMENT, { fromDts: 100, toDts: 261 })).to.equal(FRAGMENT)
    expect(cutFragment(timeless, { fromDts: 0, toDts: 0 })).to.equal(timeless)
  })

  it('begins and ends within its runs, whose data stay where they are', () => {
    expect(cutFragment(FRAGMENT, { fromDts: 140, toDts: 220 })).to.eql({
      trackId: 1,
      baseDts: 140,
      runs: [
        {
          offset: 1010,
          samples: samples(40),
        },
        {
          offset: 2e3,
          samples: samples(40),
        },
      ],
    })
    expect(placesOf(cutFragment(FRAGMENT, { fromDts: 101, toDts: 141 }))).to.eql([[140, 1010]])
    expect(placesOf(cutFragment(FRAGMENT, { fromDts: 1000, toDts: 2000 }))).to.eql([])
  })

  it('has just the samples that are decoded within a window', () => {
    const run = fc.record({
      offset: fc.nat(10_000),
      samples: fc.array(
        fc.integer({ min: 1, max: 50 }).map((ticks) => samples(ticks)[0]!),
        { maxLength: 5 },
      ),
    })
    const window: fc.Arbitrary<CutWindow> = fc.record({ fromDts: fc.nat(300), toDts: fc.nat(300) })
    fc.assert(
      fc.property(fc.array(run, { maxLength: 4 }), fc.nat(100), window, (runs, baseDts, { fromDts, toDts }) => {
        const fragment = { trackId: 1, baseDts, runs }
        const wanted = placesOf(fragment).filter(([dts]) => dts >= fromDts && dts < toDts)
        expect(placesOf(cutFragment(fragment, { fromDts, toDts }))).to.eql(wanted)
      }),
    )
  })
})
