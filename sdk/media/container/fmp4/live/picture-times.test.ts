import { expect } from 'chai'
import fc from 'fast-check'
import { PictureTimes, type PictureTime } from './picture-times.ts'

function timesOf(dtses: readonly number[], timescale = 1000): PictureTime[] {
  const times = new PictureTimes(timescale)
  return dtses.map((dts) => times.next(dts))
}

function until(count: number, stepTicks: number, start = 0): number[] {
  return Array.from({ length: count }, (_, index) => start + index * stepTicks)
}

describe('PictureTimes', () => {
  it('keep the times of an even pace, and say it as the duration', () => {
    for (const [stepTicks, timescale] of [
      [40, 1000],
      [3003, 90_000],
    ] as const) {
      const dtses = until(10, stepTicks, 7 * timescale)
      const times = timesOf(dtses, timescale)
      expect(times.map(({ dts }) => dts)).to.eql(dtses)
      expect(times.at(-1)?.durationTicks).to.equal(stepTicks)
    }
  })

  it('are right again soon after a picture that came late', () => {
    const dtses = [...until(5, 40), ...until(6, 40, 700)]
    const dtsAfter = timesOf(dtses).map(({ dts }) => dts)
    expect(dtsAfter.slice(0, 5)).to.eql(dtses.slice(0, 5))
    expect(dtsAfter[5]).to.be.below(700)
    expect(dtsAfter.slice(-2)).to.eql(dtses.slice(-2))
  })

  for (const stepMs of [500, 1000, 2000, 3000, 5000, 9000]) {
    it(`are right again after some pictures of ${stepMs} ms each, and keep the pace`, () => {
      const dtses = [...until(5, 40), ...until(40, stepMs, 160 + stepMs)]
      const times = timesOf(dtses)
      expect(times.slice(-20).map(({ dts }) => dts)).to.eql(dtses.slice(-20))
      expect(times.at(-1)?.durationTicks).to.equal(stepMs)
    })
  }

  it('do not take two pictures that come close together for the pace', () => {
    const [, , , close] = timesOf([0, 40, 80, 81])
    expect(close).to.eql({ dts: 81, durationTicks: 20 })
  })

  it('take a long break as it is', () => {
    expect(timesOf([0, 40, 60_000]).at(-1)).to.eql({ dts: 60_000, durationTicks: 40 })
  })

  it('never step twice a duration or more, nor run ahead, whatever comes but breaks', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(steps, fc.constantFrom(1000, 90_000), (stepsMs, timescale) => {
        let dtsMs = 0
        const times = new PictureTimes(timescale)
        let before = times.next(0)
        let duplicates = 0
        for (const stepMs of stepsMs) {
          dtsMs += stepMs
          if (stepMs === 0) duplicates++
          const time = times.next((dtsMs * timescale) / 1000)
          expect(time.dts).to.be.above(before.dts)
          expect(time.dts).to.be.at.most((dtsMs * timescale) / 1000 + duplicates)
          expect(time.dts - before.dts).to.be.below(2 * before.durationTicks)
          before = time
        }
      }),
    )
  })
})
