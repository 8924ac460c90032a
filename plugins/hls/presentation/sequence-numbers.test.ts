import { expect } from 'chai'
import { FrameWriter, PresentationRig } from './fixtures/presentation-rig.ts'
import { numbersByClock } from './sequence-numbers.ts'

describe('the numbers of a presentation', () => {
  it('are higher after a restart, by the clock, and those of discontinuities are small', () => {
    expect(numbersByClock(1_795_250_109_999)).to.deep.equal({ msn: 1_795_250_109, discontinuity: 109 })
    expect(numbersByClock(1_795_250_110_000).msn).to.equal(1_795_250_110)
  })

  it('go on in the one that takes its place, past all that was listed', () => {
    const first = new PresentationRig({ numbers: { msn: 7, discontinuity: 3 } })
    expect(first.presentation.nextNumbers).to.deep.equal({ msn: 7, discontinuity: 3 })
    play(first)
    const shown = first.presentation.renditions.get('video')?.lastMsn ?? 0
    expect(shown).to.be.greaterThan(7)
    const { nextNumbers: numbers } = first.presentation
    expect(numbers).to.deep.equal({ msn: shown + 1, discontinuity: 4 })
    const second = new PresentationRig({ numbers })
    play(second)
    const playlist = second.presentation.renditions.get('video')?.playlist({ skip: false })
    expect(playlist).to.deep.include({ mediaSequence: shown + 1, discontinuitySequence: 4 })
  })
})

/** Five seconds, with a keyframe in each. */
function play(rig: PresentationRig): void {
  const frames = new FrameWriter(rig, { audio: false })
  for (let frame = 0; frame < 125; frame++) frames.picture(1 + frame / 25, frame % 25 === 0)
}
