import { expect } from 'chai'
import { StallClock } from './stall-clock.ts'

/** Ticks and looks of a clock that began at 5000, each with the real time and the time that is shown. */
const CASES: readonly {
  name: string
  maxStepMs: number
  steps: readonly (readonly ['tick' | 'at', number, number])[]
}[] = [
  {
    name: 'goes on between ticks',
    maxStepMs: 1000,
    steps: [
      ['at', 5000, 5000],
      ['tick', 5500, 5500],
      ['at', 6499, 6499],
    ],
  },
  {
    name: 'does not go on while the process is held up',
    maxStepMs: 1000,
    steps: [
      ['tick', 5500, 5500],
      ['tick', 36_100, 6500],
      ['tick', 36_600, 7000],
      ['tick', 40_000, 8000],
      ['at', 40_010, 8010],
    ],
  },
  {
    name: 'shows no stall to those who look before the tick, and does not go back by it',
    maxStepMs: 40,
    steps: [
      ['tick', 5020, 5020],
      ['at', 7020, 5060],
      ['tick', 7021, 5060],
      ['at', 7030, 5069],
    ],
  },
  {
    name: 'goes on by itself without ticks',
    maxStepMs: Infinity,
    steps: [
      ['at', 5000, 5000],
      ['at', 95_000, 95_000],
    ],
  },
]

describe('StallClock', () => {
  for (const { name, maxStepMs, steps } of CASES) {
    it(name, () => {
      const clock = new StallClock(5000, maxStepMs)
      for (const [call, nowMs, shown] of steps) expect(clock[call](nowMs), `${call} ${nowMs}`).to.equal(shown)
    })
  }
})
