import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { withTurningDeadline } from './deadline.ts'

const late = () => new Error('late')

describe('withTurningDeadline', () => {
  it('does not count the time in which the event loop was held up', async () => {
    const sleeper = new Int32Array(new SharedArrayBuffer(4))
    const work = async () => {
      await setImmediate()
      Atomics.wait(sleeper, 0, 0, 150)
      await setImmediate()
      return 'done'
    }
    expect(await withTurningDeadline(work(), 100, late)).to.equal('done')
  })

  it('ends the wait for what does not end', async () => {
    const reason: unknown = await withTurningDeadline(new Promise(() => {}), 20, late).catch((error: unknown) => error)
    expect(reason).to.have.property('message', 'late')
  })
})
