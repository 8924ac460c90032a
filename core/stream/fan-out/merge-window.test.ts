import { expect } from 'chai'
import { MAX_AUTO_WINDOW_MS, MAX_SAVING_WINDOW_MS, nextWindowMs } from './merge-window.ts'

const FEW = { sinks: 100, writesPerSecond: 6800 }
const MANY = { sinks: 300, writesPerSecond: 20_400 }
const VERY_MANY = { sinks: 2000, writesPerSecond: 136_000 }

describe('merge window', () => {
  const cases = [
    { name: 'stays 0 for few sinks', from: 0, load: { ...FEW, utilization: 0.1 }, next: 0 },
    { name: 'gathers as much as saves writes', from: 0, load: { ...MANY, utilization: 0.2 }, next: 50 },
    {
      name: 'saves no more than so much',
      from: 0,
      load: { ...VERY_MANY, utilization: 0.3 },
      next: MAX_SAVING_WINDOW_MS,
    },
    { name: 'begins to grow when the process is busy', from: 0, load: { ...FEW, utilization: 0.9 }, next: 5 },
    { name: 'grows on', from: 100, load: { ...VERY_MANY, utilization: 0.9 }, next: 150 },
    { name: 'grows up to its maximum', from: 250, load: { ...FEW, utilization: 1 }, next: MAX_AUTO_WINDOW_MS },
    { name: 'stays where the load is in between', from: 80, load: { ...FEW, utilization: 0.5 }, next: 80 },
    { name: 'shrinks when the process is idle', from: 150, load: { ...FEW, utilization: 0.2 }, next: 100 },
    { name: 'shrinks to what saves writes', from: 60, load: { ...MANY, utilization: 0.2 }, next: 50 },
    { name: 'shrinks back to 0', from: 6, load: { ...FEW, utilization: 0.2 }, next: 0 },
  ]
  for (const { name, from, load, next } of cases) {
    it(name, () => expect(nextWindowMs(from, load)).to.be.closeTo(next, 1e-9))
  }
})
