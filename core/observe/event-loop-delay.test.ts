import { performance } from 'node:perf_hooks'
import { expect } from 'chai'
import { waitFor } from '../../test/peers/wait-for.ts'
import { EventLoopDelay } from './event-loop-delay.ts'

const HELD_MS = 100

describe('event-loop delay', () => {
  it('shows for how long the loop was held', async () => {
    const delay = new EventLoopDelay(0)
    let holds = 0
    const holding = setInterval(() => {
      hold(HELD_MS)
      holds++
    }, 2 * HELD_MS)
    await waitFor(() => holds === 4, { what: 'the loop to be held' })
    clearInterval(holding)
    const { p50, p99 } = delay.read()
    expect(p99).to.be.within(0.03, 3)
    expect(p50).to.be.at.most(p99)
    delay.close()
    expect(delay.read()).to.eql({ p50: 0, p99: 0 })
  })

  it('shows the same to all who ask within a window', () => {
    const delay = new EventLoopDelay(3_600_000)
    expect(delay.read()).to.equal(delay.read())
    delay.close()
  })
})

function hold(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}
