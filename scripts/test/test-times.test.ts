import { expect } from 'chai'
import { formatTimes, TestTimes } from './test-times.ts'

describe('kept times of tests', () => {
  it('are read as they were written, without the short ones', () => {
    const text = formatTimes(
      new Map([
        ['test/b.test.ts', { seconds: 12.4, cpuSeconds: 5.2 }],
        ['test/a.test.ts', { seconds: 7.6, cpuSeconds: 7.1 }],
        ['test/c.test.ts', { seconds: 0.4, cpuSeconds: 0.3 }],
      ]),
    )
    expect(text).to.equal('{\n  "test/a.test.ts": [8, 7],\n  "test/b.test.ts": [12, 5]\n}\n')
    expect(new TestTimes(text).secondsOf('test/b.test.ts')).to.equal(12)
  })
})
