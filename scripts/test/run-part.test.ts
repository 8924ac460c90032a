import { expect } from 'chai'
import { PartOutput } from './run-part.ts'

const FILES = ['core/a.test.ts', 'core/b.test.ts']
const A = 'core/a.test.ts: 3, 1.5 s, 0.9 s of processors'
const B = 'core/b.test.ts: 1, 12.0 s, 4.0 s of processors'

function outcomeOf(lines: readonly string[], code: number | null, signal: string | null = null) {
  const output = new PartOutput()
  for (const line of lines) output.take(line)
  return output.outcome(FILES, code, signal)
}

describe('a part of the tests', () => {
  it('that is good has its counts and times, and nothing to say', () => {
    const { times, ...counts } = outcomeOf([A, B, '  skipped: c', '', '4 passed, 0 failed, 1 skipped'], 0)
    expect(counts).to.eql({ passed: 4, failed: 0, skipped: 1, failures: [] })
    expect(times.get('core/b.test.ts')).to.eql({ seconds: 12, cpuSeconds: 4 })
  })

  it('that failed says so again', () => {
    const lines = [A, '  failed: d', B, '  1) d', '  Error: broken', '', '3 passed, 1 failed']
    const { failed, failures } = outcomeOf(lines, 1)
    expect({ failed, failures }).to.eql({ failed: 1, failures: ['  failed: d', '  1) d', '  Error: broken'] })
  })

  it('that died has failed, and says what it had not done', () => {
    const { passed, failed, failures } = outcomeOf([A], null, 'SIGKILL')
    expect({ passed, failed }).to.eql({ passed: 0, failed: 1 })
    expect(failures).to.eql(['ended with SIGKILL, and no summary; not done: core/b.test.ts'])
    expect(outcomeOf([A, B], 0).failed).to.equal(1)
  })

  it('that ends badly after a good summary has failed', () => {
    expect(outcomeOf([A, B, '4 passed, 0 failed'], 1)).to.include({ passed: 4, failed: 1 })
  })
})
