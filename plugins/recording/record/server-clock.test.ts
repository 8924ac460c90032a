import { expect } from 'chai'
import { ServerClock } from './server-clock.ts'

describe('ServerClock', () => {
  let wallMs: number
  let uptimeMs: number
  /** The time that passes with each reading of the uptime. */
  let lookMs: number
  let clock: ServerClock
  beforeEach(() => {
    ;[wallMs, uptimeMs, lookMs] = [1_000_000, 5000, 0]
    clock = new ServerClock({ wallMs: () => wallMs, uptimeMs: () => (uptimeMs += lookMs) })
  })

  it('goes on evenly as long as it is not set', () => {
    wallMs += 60_400
    uptimeMs += 60_000
    expect(clock.zeroMs).to.equal(995_000)
  })

  for (const stepMs of [600, -600, 3_600_000, -3_600_000]) {
    it(`is another one when it was set by ${stepMs} ms, also by little and little`, () => {
      wallMs += stepMs
      expect(clock.zeroMs).to.equal(995_000 + stepMs)
      wallMs -= stepMs / 2
      expect(clock.zeroMs - 995_000).to.equal(Math.abs(stepMs / 2) < 500 ? stepMs : stepMs / 2)
    })
  }

  it('is not set by a process that stands still while it looks', () => {
    lookMs = 2000
    wallMs += 1500
    expect(clock.zeroMs).to.equal(995_000)
  })
})
