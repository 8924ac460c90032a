import { expect } from 'chai'
import { ManualClock } from 'sluice/sdk/testing'
import { askWhileSilent } from './ask-while-silent.ts'
import { RtspClientError } from './client-error.ts'

describe('a source by RTSP that sends nothing', () => {
  const clock = new ManualClock()
  const timers = {
    setInterval(run: () => void, intervalMs: number) {
      const timer = clock.setInterval(run, intervalMs)
      return () => clock.clear(timer)
    },
  }

  /** Asks a silent source; `told.answer` is its answer. */
  function watch(publishtimeout = 10_000) {
    const told = { questions: 0, signs: 0, answer: async () => {} }
    const publisher = { config: { publishtimeout } as never, writtenBytes: 0, alive: () => void told.signs++ }
    const ask = () => {
      told.questions += 1
      return told.answer()
    }
    const stop = askWhileSilent({ publisher, ask, timers })
    const pass = async (durationMs: number) => {
      clock.advance(durationMs)
      for (let turns = 0; turns < 5; turns += 1) await Promise.resolve()
    }
    return { told, publisher, pass, stop }
  }

  it('is asked, and is there as long as it answers', async () => {
    const { told, publisher, pass, stop } = watch()
    for (let sent = 0; sent < 4; sent += 1) {
      publisher.writtenBytes += 100
      await pass(2500)
    }
    expect(told).to.include({ questions: 0, signs: 0 })
    await pass(2500)
    await pass(2500)
    expect(told).to.include({ questions: 2, signs: 2 })
    told.answer = () => Promise.reject(new RtspClientError('the server answered 454 Session Not Found'))
    await pass(2500)
    expect(told).to.include({ questions: 3, signs: 2 })
    stop()
    await pass(10_000)
    expect(told.questions).to.equal(3)
  })

  it('is not asked where nothing depends on it', async () => {
    const { told, pass } = watch(0)
    await pass(10_000)
    expect(told.questions).to.equal(0)
  })

  it('is asked one question at a time, several times within a short publishtimeout', async () => {
    const { told, pass, stop } = watch(1000)
    const { promise, resolve } = Promise.withResolvers<void>()
    told.answer = () => promise
    for (let times = 0; times < 4; times += 1) await pass(250)
    expect(told).to.include({ questions: 1, signs: 0 })
    resolve()
    await pass(0)
    await pass(250)
    expect(told).to.include({ questions: 2, signs: 2 })
    stop()
  })
})
