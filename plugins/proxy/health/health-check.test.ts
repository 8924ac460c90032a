import { expect } from 'chai'
import type { Dialer, DialTarget } from 'sluice/sdk'
import { ManualClock } from 'sluice/sdk/testing'
import {
  CHECK_SPREAD_MS,
  CHECK_TIMEOUT_MS,
  HealthCheck,
  MAX_CHECKS_AT_ONCE,
  MAX_CHECKS_PER_TURN,
  type Check,
} from './health-check.ts'

const INTERVAL_MS = 10_000

/** A connection that is being opened. */
type Opening = { readonly target: DialTarget; answer(): void; refuse(): void }

/** Resolves when pending promises have settled. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

function rig() {
  const manual = new ManualClock()
  const opening = new Set<Opening>()
  const closed: string[] = []
  let dialed = 0
  let after = 0
  const clock = {
    now: manual.now,
    after(delayMs: number, run: () => void) {
      after += 1
      const timer = manual.setTimeout(run, delayMs)
      return () => manual.clear(timer)
    },
  }
  const dialer: Dialer = {
    proxied: false,
    connect(target) {
      dialed += 1
      const { promise, resolve, reject } = Promise.withResolvers<never>()
      const leave = () => opening.delete(one)
      const one: Opening = {
        target,
        answer: () => (leave(), resolve({ destroy: () => closed.push(target.host) } as never)),
        refuse: () => (leave(), reject(new Error('refused'))),
      }
      opening.add(one)
      target.signal?.addEventListener('abort', () => one.refuse())
      return promise
    },
    checkAddress() {},
  }
  const health = new HealthCheck(clock, () => 0.5)
  const told: string[] = []
  const check = (host: string): Check => ({
    target: {
      host,
      port: 554,
    },
    dialer,
    intervalMs: () => INTERVAL_MS,
    up: (rttMs) => told.push(`${host} up ${rttMs}`),
    down: (reason) => told.push(`${host} down: ${reason}`),
  })
  const pass = async (durationMs: number) => {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 10) {
      manual.advance(10)
      await settle()
    }
  }
  return { manual, opening, closed, health, told, check, pass, dialed: () => dialed, timers: () => after }
}

describe('HealthCheck', () => {
  it('opens a connection, says how long that took, closes it and is done', async () => {
    const { health, check, opening, pass, told, closed, dialed } = rig()
    health.add(check('a'))
    await pass(CHECK_SPREAD_MS)
    const [one] = opening
    expect(one?.target).to.include({ host: 'a', port: 554 })
    await pass(30)
    one?.answer()
    await settle()
    expect(told).to.have.length(1)
    expect(told[0]).to.match(/^a up [1-9]\d*$/u)
    expect(closed).to.eql(['a'])
    await pass(3 * INTERVAL_MS)
    expect(dialed()).to.equal(1)
  })

  it('tries again an interval after the last try began, and one at a time', async () => {
    const { health, check, opening, pass, told, dialed } = rig()
    health.add(check('a'))
    await pass(CHECK_SPREAD_MS)
    ;[...opening][0]?.refuse()
    await settle()
    expect(told).to.eql(['a down: refused'])
    await pass(INTERVAL_MS - 500)
    expect(dialed()).to.equal(1)
    await pass(1000)
    expect(dialed()).to.equal(2)
    expect(opening.size).to.equal(1)
  })

  it('gives a server up that does not answer', async () => {
    const { health, check, opening, pass, told } = rig()
    health.add(check('a'))
    await pass(CHECK_SPREAD_MS + CHECK_TIMEOUT_MS)
    expect(told).to.eql(['a down: it does not answer'])
    expect([opening.size, health.running]).to.eql([0, 0])
  })

  it('ends what is removed, and tells nothing of it', async () => {
    const { health, check, opening, pass, told } = rig()
    const [a, b] = [check('a'), check('b')]
    health.add(a)
    health.add(b)
    health.remove(b)
    await pass(CHECK_SPREAD_MS)
    expect([...opening].map(({ target }) => target.host)).to.eql(['a'])
    health.remove(a)
    await settle()
    expect([opening.size, health.running, told]).to.eql([0, 0, []])
    await pass(2 * INTERVAL_MS)
    expect(opening.size).to.equal(0)
  })

  it('has one timer for a thousand, begins a few in a turn, and is bounded', async () => {
    const { health, check, opening, manual, pass, told, dialed, timers } = rig()
    const many = MAX_CHECKS_AT_ONCE + 200
    for (let index = 0; index < many; index++) health.add(check(`c${index}`))
    let before = 0
    for (let turn = 0; turn < 200; turn++) {
      expect(manual.pending).to.be.at.most(1)
      await pass(10)
      expect(dialed() - before).to.be.at.most(MAX_CHECKS_PER_TURN)
      expect(health.running).to.equal(opening.size)
      before = dialed()
    }
    expect(opening.size).to.equal(MAX_CHECKS_AT_ONCE)
    // The rest begin when there is room.
    ;[...opening].slice(0, 10).forEach((one) => one.answer())
    await pass(100)
    expect([dialed(), told.length]).to.eql([MAX_CHECKS_AT_ONCE + 10, 10])
    await pass(2 * CHECK_TIMEOUT_MS)
    expect(dialed()).to.equal(many)
    const atRest = timers()
    await pass(500)
    expect(timers() - atRest).to.be.at.most(1)
  })

  it('has no timer when there is nothing to look at, and none after it was closed', async () => {
    const { health, check, manual, pass, opening } = rig()
    expect(manual.pending).to.equal(0)
    health.add(check('a'))
    await pass(CHECK_SPREAD_MS)
    expect(opening.size).to.equal(1)
    health.close()
    await settle()
    expect([manual.pending, opening.size]).to.eql([0, 0])
  })
})
