import { expect } from 'chai'
import { LayerChoice } from './layer-choice.ts'

const RATES = [150_000, 500_000, 1_500_000]

/** A receiver that says the same each second, or what a function of the layer and the second gives. */
class Receiver {
  readonly #choice = new LayerChoice(0)
  readonly layers: number[] = []
  #seconds = 0
  layer: number

  constructor(layer: number) {
    this.layer = layer
  }

  run(seconds: number, says: (layer: number) => { readonly loss?: number; readonly estimateBps?: number }): void {
    for (const end = this.#seconds + seconds; this.#seconds < end; this.#seconds += 1) {
      const nowMs = this.#seconds * 1000
      const { loss, estimateBps } = says(this.layer)
      if (loss !== undefined) this.#choice.loss(loss, nowMs)
      if (estimateBps !== undefined) this.#choice.estimate(estimateBps, nowMs)
      const next = this.#choice.next(RATES, this.layer, nowMs)
      if (next !== this.layer) this.#choice.changed(next > this.layer, nowMs)
      this.layer = next
      this.layers.push(next)
    }
  }

  get changes(): number {
    return this.layers.filter((layer, index) => index > 0 && layer !== this.layers[index - 1]).length
  }
}

describe('LayerChoice', () => {
  it('stays on top while all is well, and where nothing is said', () => {
    const well = new Receiver(2)
    well.run(600, () => ({ loss: 0.01, estimateBps: 2_000_000 }))
    const silent = new Receiver(2)
    silent.run(600, () => ({}))
    expect([...well.layers, ...silent.layers].every((layer) => layer === 2)).to.equal(true)
  })

  it('goes down by one within seconds when much is lost, and not for what repetitions mend', () => {
    const receiver = new Receiver(2)
    receiver.run(5, () => ({ loss: 0.2 }))
    expect(receiver.layer).to.equal(1)
    const light = new Receiver(2)
    light.run(60, () => ({ loss: 0.05 }))
    expect(light.layer).to.equal(2)
    const once = new Receiver(2)
    once.run(10, () => ({ loss: 0 }))
    once.run(1, () => ({ loss: 0.5 }))
    once.run(5, () => ({ loss: 0 }))
    expect(once.changes).to.equal(0)
  })

  it('goes down to what fits the estimate', () => {
    const receiver = new Receiver(2)
    receiver.run(6, () => ({ estimateBps: 200_000 }))
    expect(receiver.layer).to.equal(0)
    receiver.run(60, () => ({ estimateBps: 100_000 }))
    expect(receiver.layer, 'there is none below').to.equal(0)
  })

  it('goes up again, one after the other, when all is well', () => {
    const receiver = new Receiver(0)
    receiver.run(30, () => ({ loss: 0 }))
    expect(receiver.layer).to.equal(2)
    expect(receiver.changes).to.equal(2)
  })

  it('goes up soon where the estimate says that there is room', () => {
    const receiver = new Receiver(0)
    receiver.run(9, () => ({ estimateBps: 5_000_000 }))
    expect(receiver.layer).to.equal(2)
  })

  it('tries ever more seldom what does not fit', () => {
    const receiver = new Receiver(1)
    // A network of 1 Mbit/s, whose estimates are no larger than what came.
    receiver.run(600, (layer) =>
      layer === 2 ? { loss: 0.3, estimateBps: 1_000_000 } : { loss: 0, estimateBps: 750_000 },
    )
    expect(receiver.changes).to.be.within(4, 20)
    expect(receiver.layers.filter((layer) => layer === 1).length, 'seconds of what fits').to.be.above(540)
    expect(receiver.layers.every((layer) => layer > 0)).to.equal(true)
  })

  it('forgets an estimate that is old', () => {
    const receiver = new Receiver(2)
    receiver.run(1, () => ({ estimateBps: 100_000 }))
    receiver.run(1, () => ({}))
    receiver.run(60, () => ({}))
    expect(receiver.layers.at(-1)).to.equal(2)
  })
})
