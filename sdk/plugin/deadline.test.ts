import { expect } from 'chai'
import { rejectionOf } from '../../test/support/rejection.ts'
import { withDeadline } from './deadline.ts'

const late = () => new Error('late')

describe('withDeadline', () => {
  it('gives the result or the error of work that ends in time', async () => {
    expect(await withDeadline(Promise.resolve('done'), 60_000, late)).to.equal('done')
    const failing = withDeadline(Promise.reject(new Error('failed')), 60_000, late)
    expect(await rejectionOf(failing)).to.have.property('message', 'failed')
  })

  it('ends the wait for work that is late, and drops its error', async () => {
    const work = Promise.withResolvers<void>()
    expect(await rejectionOf(withDeadline(work.promise, 1, late))).to.have.property('message', 'late')
    work.reject(new Error('failed after all'))
  })
})
