import { EventEmitter, once } from 'node:events'
import { expect } from 'chai'
import { StoreUnavailable } from 'sluice/sdk'
import { PermissionDenied, Unauthenticated } from '../login/login-errors.ts'
import { watchCaller } from './caller-watch.ts'

class Carrier extends EventEmitter {
  destroy(): void {
    this.emit('close')
  }
}

describe('the watch over who has a WebSocket or an event stream', () => {
  for (const reason of [new Unauthenticated('invalid token'), new PermissionDenied('no admin any more')]) {
    it(`ends it: ${reason.message}`, async () => {
      const carrier = new Carrier()
      const failures = [undefined, new StoreUnavailable('away'), undefined, reason]
      let looks = 0
      const check = async () => {
        const failure = failures[looks++]
        if (failure !== undefined) throw failure
      }
      const closed = once(carrier, 'close')
      watchCaller(carrier, check, 1)
      await closed
      expect(looks).to.equal(failures.length)
    })
  }

  it('ends with it', async () => {
    const carrier = new Carrier()
    const watch = Promise.withResolvers<void>()
    let looks = 0
    const check = async () => {
      looks += 1
      if (looks === 3) {
        carrier.destroy()
        // What would come is due by then, as timers of one length run in order.
        setTimeout(() => setTimeout(watch.resolve, 1), 1)
      }
    }
    watchCaller(carrier, check, 1)
    await watch.promise
    expect(looks).to.equal(3)
  })
})
