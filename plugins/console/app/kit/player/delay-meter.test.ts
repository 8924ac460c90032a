import { expect } from 'chai'
import { DelayMeter } from './delay-meter.ts'

/** The stream is at 100 s when the player begins at its own zero. */
const BEGINNING_MS = 100_000

describe('DelayMeter', () => {
  it('has the buffer and the way of the media while nothing waits at the server', () => {
    const meter = new DelayMeter()
    // At 10 s of the player's time, media of up to 10.5 s has come; 20 ms of media are under way.
    const sample = { newestMs: BEGINNING_MS + 10_520 - 20, shownMs: 10_000, bufferMs: 500, roundTripMs: 40 }
    expect(meter.add(sample)).to.equal(520)
  })

  it('shows that media waits at the server, which the buffer does not', () => {
    const meter = new DelayMeter()
    const sampleAt = (shownMs: number, bufferMs: number, waitingMs: number) =>
      meter.add({ newestMs: BEGINNING_MS + shownMs + bufferMs + waitingMs, shownMs, bufferMs, roundTripMs: 0 })
    expect(sampleAt(1000, 500, 0)).to.equal(500)
    expect(sampleAt(2000, 100, 3000)).to.equal(3100)
    expect(sampleAt(6000, 500, 0)).to.equal(500)
  })

  it('corrects itself when it began in a bad moment', () => {
    const meter = new DelayMeter()
    const sampleAt = (shownMs: number, waitingMs: number) =>
      meter.add({ newestMs: shownMs + 200 + waitingMs, shownMs, bufferMs: 200, roundTripMs: 10 })
    expect(sampleAt(0, 1000)).to.equal(205)
    expect(sampleAt(1000, 0)).to.equal(205)
    expect(sampleAt(2000, 1000)).to.equal(1205)
  })
})
