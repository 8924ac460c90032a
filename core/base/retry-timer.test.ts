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

  it('waits as long as it is told, and the shortest time at least', async () => {
    const after = (delayMs: number) => {
      return new Promise<void>((resolve) => new RetryTimer({ firstMs: delayMs, retry: resolve }).schedule())
    }
    let tries = 0
    const timer = new RetryTimer({ firstMs: FIRST_MS, retry: () => (tries += 1) })
    for (const [toldMs, dueMs] of [
      [6 * FIRST_MS, 6 * FIRST_MS],
      [0, FIRST_MS],
    ] as const) {
      tries = 0
      timer.schedule(toldMs)
      await after(dueMs - 2)
      expect(tries).to.equal(0)
      await after(dueMs)
      expect(tries).to.equal(1)
    }
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
