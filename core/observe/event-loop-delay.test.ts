import { performance } from 'node:perf_hooks'
import { expect } from 'chai'
import { waitFor } from '../../test/peers/wait-for.ts'
import { EventLoopDelay } from './event-loop-delay.ts'

const HELD_MS = 100

describe('event-loop delay', () => {
  it('shows for how long the loop was held', async () => {
    const delay = new EventLoopDelay()
    let holds = 0
    const holding = setInterval(() => {
      hold(HELD_MS)
      holds++
    }, 2 * HELD_MS)
    await waitFor(() => holds === 4, { what: 'the loop to be held' })
    clearInterval(holding)
    expect(delay.takeP99Seconds()).to.be.within(0.03, 3)
    delay.close()
    expect(delay.takeP99Seconds()).to.equal(0)
  })
})

function hold(ms: number): void {
  const endMs = performance.now() + ms
  while (performance.now() < endMs);
}
