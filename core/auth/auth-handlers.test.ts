import { expect } from 'chai'
import type { StreamAuthHandler } from 'sluice/sdk'
import { AuthHandlers, type HandlerOwner } from './auth-handlers.ts'

describe('auth handlers', () => {
  const first: StreamAuthHandler = () => true
  const second: StreamAuthHandler = () => false
  const third: StreamAuthHandler = () => undefined
  const one: HandlerOwner = { plugin: 'one' }
  const other: HandlerOwner = { plugin: 'other' }
  let handlers: AuthHandlers
  beforeEach(() => {
    handlers = new AuthHandlers()
  })

  it('hold one at a time: that of the plugin that came last', () => {
    expect(handlers.current).to.equal(undefined)
    handlers.set(one, first)
    handlers.set(other, second)
    expect(handlers.current).to.equal(second)
    handlers.set(other, third)
    expect(handlers.current).to.equal(third)
    handlers.set(one, first)
    expect(handlers.current).to.equal(third)
  })

  it('are removed by an empty value', () => {
    for (const empty of [null, undefined, '']) {
      handlers.set(one, first)
      handlers.set(one, empty as null)
      expect(handlers.current, String(empty)).to.equal(undefined)
    }
  })

  it('give way to the one before when their owner goes', () => {
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
    handlers.set(one, first)
    handlers.set(other, second)
    handlers.removeOwner(one)
    expect(handlers.current).to.equal(second)
  })

  describe('of plugins that are loaded anew', () => {
    const again: HandlerOwner = { plugin: 'one' }

    it('keep their order, though the first plugin takes longer to come back', () => {
      handlers.set(one, first)
      handlers.set(other, second)
      handlers.set({ plugin: 'other' }, third)
      handlers.removeOwner(other)
      handlers.set(again, first)
      handlers.removeOwner(one)
      expect(handlers.current).to.equal(third)
    })

    it('keep their order, though the first one sets its handler only once the former is gone', () => {
      handlers.set(one, first)
      handlers.set(other, second)
      handlers.removeOwner(one)
      handlers.set(again, third)
      expect(handlers.current).to.equal(second)
    })

    it('take the place of the former, and give it back if they come to nothing', () => {
      handlers.set(one, first)
      handlers.set(again, second)
      expect(handlers.current).to.equal(second)
      handlers.removeOwner(again)
      expect(handlers.current).to.equal(first)
    })
  })

  it('must be functions', () => {
    handlers.set(one, first)
    const wrong = { handle: first } as unknown as StreamAuthHandler
    expect(() => handlers.set(one, wrong)).to.throw(TypeError)
    expect(handlers.current).to.equal(first)
  })
})
