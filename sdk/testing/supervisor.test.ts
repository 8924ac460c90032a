import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { ManualClock } from './manual-clock.ts'
import { Supervisor, type RunFailure } from '../program/supervisor.ts'

const LASTING_MS = 10_000

describe('Supervisor', () => {
  let clock: ManualClock
  let runs: { readonly signal: AbortSignal; readonly end: () => void; readonly fail: (error: Error) => void }[]
  let failures: RunFailure[]
  let isWanted: boolean
  let generation: AbortController
  let supervisor: Supervisor

  beforeEach(() => {
    clock = new ManualClock()
    runs = []
    failures = []
    isWanted = true
    generation = new AbortController()
    const ctx = {
      signal: generation.signal,
      setTimeout(callback: () => void, delayMs: number) {
        const timer = clock.setTimeout(callback, delayMs)
        return () => clock.clear(timer)
      },
    }
    supervisor = new Supervisor(ctx, {
      now: clock.now,
      run(signal) {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        runs.push({ signal, end: resolve, fail: reject })
        return promise
      },
      isWanted: () => isWanted,
      failed: (failure) => failures.push(failure),
    })
  })

  /** The present run fails, and the time passes after which the next begins. */
  async function fail(): Promise<number> {
    const { length } = failures
    runs.at(-1)!.fail(new Error('crashed'))
    await turn()
    return failures[length]!.retryMs
  }

  it('runs one at a time', () => {
    supervisor.begin()
    supervisor.begin()
    expect(runs).to.have.length(1)
  })

  it('tries again later each time, until a run lasts', async () => {
    supervisor.begin()
    const waitsMs: number[] = []
    for (let times = 0; times < 7; times++) {
      const retryMs = await fail()
      waitsMs.push(retryMs)
      clock.advance(retryMs - 1)
      expect(runs).to.have.length(times + 1)
      clock.advance(1)
      expect(runs).to.have.length(times + 2)
    }
    expect(waitsMs).to.eql([500, 1000, 2000, 4000, 8000, 15_000, 15_000])
    expect(failures.map((failure) => failure.failures)).to.eql([1, 2, 3, 4, 5, 6, 7])
    clock.advance(LASTING_MS)
    expect(await fail()).to.equal(500)
    expect(failures.at(-1)).to.deep.include({ failures: 1, retryMs: 500 })
    expect(failures.at(-1)?.error).to.be.an('error').with.property('message', 'crashed')
  })

  it('takes an end that nobody wanted for a failure, too', async () => {
    supervisor.begin()
    runs[0]!.end()
    await turn()
    expect(failures).to.eql([{ error: undefined, failures: 1, retryMs: 500 }])
  })

  it('begins at once what was to begin later', async () => {
    supervisor.begin()
    await fail()
    supervisor.begin()
    expect([runs.length, clock.pending]).to.eql([2, 0])
  })

  it('renews a run once that is over, without a failure', async () => {
    supervisor.renew()
    expect(runs).to.have.length(0)
    supervisor.begin()
    supervisor.renew()
    expect([runs.length, runs[0]!.signal.aborted]).to.eql([1, true])
    runs[0]!.fail(new Error('aborted'))
    await turn()
    expect([runs.length, failures]).to.eql([2, []])
  })

  it('ends what is left of a run that has failed', async () => {
    supervisor.begin()
    await fail()
    expect(runs[0]!.signal.aborted).to.equal(true)
  })

  it('begins none that is not wanted, and waits to be asked again', async () => {
    supervisor.begin()
    const retryMs = await fail()
    isWanted = false
    clock.advance(retryMs)
    expect([runs.length, clock.pending]).to.eql([1, 0])
    isWanted = true
    supervisor.begin()
    expect(runs).to.have.length(2)
  })

  it('takes the end of a run that is not wanted any more for no failure', async () => {
    supervisor.begin()
    isWanted = false
    runs[0]!.end()
    await turn()
    expect([runs.length, failures, clock.pending]).to.eql([1, [], 0])
    isWanted = true
    supervisor.begin()
    expect(runs).to.have.length(2)
  })

  it('is closed when its run is over, and begins none after', async () => {
    supervisor.begin()
    let isOver = false
    const closed = supervisor.close().then(() => (isOver = true))
    await turn()
    expect([runs[0]!.signal.aborted, isOver]).to.eql([true, false])
    runs[0]!.fail(new Error('aborted'))
    await closed
    supervisor.begin()
    expect([runs.length, failures, clock.pending]).to.eql([1, [], 0])
  })

  it('is closed while it waits', async () => {
    supervisor.begin()
    await fail()
    await supervisor.close()
    expect([runs.length, clock.pending]).to.eql([1, 0])
  })

  it('ends with the generation, which is no failure', async () => {
    supervisor.begin()
    generation.abort()
    runs[0]!.end()
    await turn()
    supervisor.begin()
    expect([runs.length, failures, clock.pending]).to.eql([1, [], 0])
  })
})
