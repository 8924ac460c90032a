import { expect } from 'chai'
import { RetryTimer } from './retry-timer.ts'

const FIRST_MS = 5

describe('RetryTimer', () => {
  it('waits twice as long after each failure that follows', async () => {
    const { promise: done, resolve } = Promise.withResolvers<void>()
    const startMs = performance.now()
    let tries = 0
    const timer = new RetryTimer({
      firstMs: FIRST_MS,
      retry: () => {
        tries += 1
        if (tries === 4) resolve()
        else timer.schedule()
      },
    })
    expect(timer.retrying).to.equal(false)
    timer.schedule()
    expect(timer.retrying).to.equal(true)
    await done
    // Timers count whole milliseconds, so each may come by one too early.
    expect(performance.now() - startMs).to.be.at.least((1 + 2 + 4 + 8) * FIRST_MS - 4)
  })

  it('tries nothing any more, and begins with the shortest time again, once it is reset', async () => {
    let tries = 0
    const timer = new RetryTimer({ firstMs: FIRST_MS, retry: () => (tries += 1) })
    timer.schedule()
    timer.schedule()
    timer.reset()
    expect(timer.retrying).to.equal(false)
    await new Promise<void>((resolve) => new RetryTimer({ firstMs: 2 * FIRST_MS, retry: resolve }).schedule())
    expect(tries).to.equal(0)
    timer.schedule()
    // Timers that are due at the same time are called in the order in which they were set.
    await new Promise<void>((resolve) => new RetryTimer({ firstMs: FIRST_MS, retry: resolve }).schedule())
    expect(tries).to.equal(1)
  })
})
