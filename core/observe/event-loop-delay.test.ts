import { performance } from 'node:perf_hooks'
import { expect } from 'chai'
import { waitFor } from '../../test/peers/wait-for.ts'
import { EventLoopDelay } from './event-loop-delay.ts'

const HELD_MS = 300

describe('event-loop delay', () => {
  it('shows for how long the loop was held, once', async () => {
    const delay = new EventLoopDelay()
    const endMs = performance.now() + HELD_MS
    while (performance.now() < endMs);
    await waitFor(() => delay.takeP99Seconds() > 0.2, { what: 'the delay to show' })
    delay.close()
    expect(delay.takeP99Seconds()).to.equal(0)
  })
})
