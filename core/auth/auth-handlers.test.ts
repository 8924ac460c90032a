import { expect } from 'chai'
import type { StreamAuthHandler } from 'sluice/sdk'
import { AuthHandlers } from './auth-handlers.ts'

describe('auth handlers', () => {
  const first: StreamAuthHandler = () => true
  const second: StreamAuthHandler = () => false
  const one = {}
  const other = {}

  it('hold one at a time: the latest', () => {
    const handlers = new AuthHandlers()
    expect(handlers.current).to.equal(undefined)
    handlers.set(one, first)
    handlers.set(other, second)
    expect(handlers.current).to.equal(second)
    handlers.set(one, first)
    expect(handlers.current).to.equal(first)
  })

  it('are removed by an empty value', () => {
    const handlers = new AuthHandlers()
    for (const empty of [null, undefined, '']) {
      handlers.set(one, first)
      handlers.set(one, empty as null)
      expect(handlers.current, String(empty)).to.equal(undefined)
    }
  })

  it('give way to the one before when their owner goes', () => {
    const handlers = new AuthHandlers()
    handlers.set(one, first)
    handlers.set(other, second)
    handlers.removeOwner(other)
    expect(handlers.current).to.equal(first)
    handlers.removeOwner(other)
    expect(handlers.current).to.equal(first)
    handlers.removeOwner(one)
    expect(handlers.current).to.equal(undefined)
  })

  it('leave the latest in place when an earlier owner goes', () => {
    const handlers = new AuthHandlers()
    handlers.set(one, first)
    handlers.set(other, second)
    handlers.removeOwner(one)
    expect(handlers.current).to.equal(second)
  })

  it('must be functions', () => {
    const handlers = new AuthHandlers()
    handlers.set(one, first)
    const wrong = { handle: first } as unknown as StreamAuthHandler
    expect(() => handlers.set(one, wrong)).to.throw(TypeError)
    expect(handlers.current).to.equal(first)
  })
})
