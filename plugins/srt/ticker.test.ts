import { expect } from 'chai'
import { Ticker } from './ticker.ts'

/** Timers that are moved by hand. */
class FakeTimers {
  readonly #timers = new Set<{ readonly callback: () => void; readonly intervalMs: number; dueMs: number }>()
  #nowMs = 0

  get count(): number {
    return this.#timers.size
  }

  setInterval(callback: () => void, intervalMs: number): () => void {
    const timer = { callback, intervalMs, dueMs: this.#nowMs + intervalMs }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  run(durationMs: number): void {
    const endMs = this.#nowMs + durationMs
    for (; this.#nowMs < endMs; this.#nowMs += 1) {
      for (const timer of this.#timers) {
        if (timer.dueMs > this.#nowMs) continue
        timer.dueMs += timer.intervalMs
        timer.callback()
      }
    }
  }
}

function createTicker() {
  const timers = new FakeTimers()
  return { timers, ticker: new Ticker(timers) }
}

function unexpected(error: unknown): never {
  throw error
}

describe('Ticker', () => {
  it('calls those that have something under way four times as often as others', () => {
    const { timers, ticker } = createTicker()
    const calls = { busy: 0, idle: 0 }
    ticker.add(() => ++calls.busy > 0, unexpected)
    ticker.add(() => ++calls.idle === 0, unexpected)
    timers.run(1000)
    expect(calls.busy).to.be.within(195, 201)
    expect(calls.idle).to.be.within(49, 52)
  })

  it('has a slower timer where nothing is under way, and a faster one when somebody comes', () => {
    const { timers, ticker } = createTicker()
    let idle = 0
    ticker.add(() => ++idle === 0, unexpected)
    timers.run(1000)
    expect(idle).to.be.within(49, 52)
    let busy = 0
    const stop = ticker.add(() => ++busy > 0, unexpected)
    timers.run(100)
    expect(busy).to.be.within(19, 21)
    expect(timers.count).to.equal(1)
    stop()
  })

  it('has no timer without anybody, also when the last one leaves in its call', () => {
    const { timers, ticker } = createTicker()
    const stop = ticker.add(() => {
      stop()
      return true
    }, unexpected)
    timers.run(20)
    expect(timers.count).to.equal(0)
  })

  it('goes on without one that throws', () => {
    const { timers, ticker } = createTicker()
    const failures: unknown[] = []
    let others = 0
    const thrown = new Error('a tick')
    ticker.add(
      () => {
        throw thrown
      },
      (error) => failures.push(error),
    )
    ticker.add(() => ++others > 0, unexpected)
    timers.run(100)
    expect(failures).to.eql([thrown])
    expect(others).to.be.within(19, 21)
  })
})
