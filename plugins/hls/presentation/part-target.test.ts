import { expect } from 'chai'
import { FramePace } from './frame-pace.ts'
import { choosePartTarget } from './part-target.ts'

/** A pace of `count` steps, in milliseconds. */
function rhythm(stepMs: (index: number) => number, count = 50) {
  const pace = new FramePace()
  let timeMs = 0
  pace.take(0)
  for (let index = 0; index < count; index += 1) pace.take((timeMs += stepMs(index)) / 1000)
  return pace.rhythm
}

const AAC = rhythm(() => 1_024_000 / 44_100, 86)

describe('part target', () => {
  for (const lost of [1, 2, 3]) {
    it(`does not mind ${lost} lost of 50 pictures`, () => {
      const together = rhythm((index) => (index === 12 ? 40 * (1 + lost) : 40), 50 - lost)
      const apart = rhythm((index) => (index % 15 === 7 && index < lost * 15 ? 80 : 40), 50 - lost)
      for (const video of [together, apart]) {
        expect(choosePartTarget(200, [video])).to.equal(0.2)
        expect(choosePartTarget(200, [video, AAC])).to.be.within(0.2, 0.202)
      }
    })
  }

  it('does not mind sound that is lost', () => {
    const sound = rhythm((index) => (index === 30 ? 93 : 1_024_000 / 44_100), 80)
    expect(choosePartTarget(200, [rhythm(() => 40), sound])).to.be.within(0.2, 0.202)
  })

  it('is not lengthened much by jitter', () => {
    for (const jitter of [0.1, 0.2, 0.4]) {
      const video = rhythm((index) => 40 * (1 + jitter * Math.sin(index * index)))
      expect(choosePartTarget(200, [video]), `${jitter}`).to.be.within(0.19, 0.22)
    }
  })

  it('fits frames that come evenly', () => {
    const targets = [1, 4, 8, 10, 12, 24, 30_000 / 1001, 50].map((fps) => {
      return choosePartTarget(200, [rhythm(() => 1000 / fps)])
    })
    expect(targets).to.deep.equal([1, 0.25, 0.25, 0.2, 0.193, 0.193, 0.201, 0.2])
  })

  it('has room for times that are rounded to milliseconds', () => {
    const times = (index: number) => Math.round((index * 1001) / 30)
    expect(choosePartTarget(200, [rhythm((index) => times(index + 1) - times(index), 60)])).to.equal(0.202)
  })

  it('is longer where long frames take much of the time', () => {
    expect(choosePartTarget(200, [rhythm((index) => (index % 12 === 0 ? 300 : 40))])).to.equal(1)
    expect(choosePartTarget(200, [rhythm((index) => (index % 20 === 0 ? 1500 : 33))])).to.equal(1.5)
  })
})
