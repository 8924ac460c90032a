import { expect } from 'chai'
import { MAX_AUTO_WINDOW_MS, MergeWindow, nextWindowMs } from './merge-window.ts'

describe('nextWindowMs', () => {
  const cases = [
    { name: 'stays 0 while the process is idle', windowMs: 0, utilization: 0.1, next: 0 },
    { name: 'begins to grow when it is busy', windowMs: 0, utilization: 0.9, next: 5 },
    { name: 'grows on', windowMs: 100, utilization: 0.9, next: 150 },
    { name: 'grows up to its maximum', windowMs: 250, utilization: 1, next: MAX_AUTO_WINDOW_MS },
    { name: 'stays where the load is in between', windowMs: 100, utilization: 0.5, next: 100 },
    { name: 'shrinks when it is idle', windowMs: 150, utilization: 0.2, next: 100 },
    { name: 'shrinks back to 0', windowMs: 6, utilization: 0.2, next: 0 },
  ]
  for (const { name, windowMs, utilization, next } of cases) {
    it(name, () => expect(nextWindowMs(windowMs, utilization)).to.be.closeTo(next, 1e-9))
  }
})

describe('MergeWindow', () => {
  it('begins with no window', () => {
    const window = new MergeWindow()
    expect(window.autoMs).to.equal(0)
    expect(window.utilization).to.be.within(0, 1)
    window.close()
  })
})
