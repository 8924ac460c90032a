import { expect } from 'chai'
import { StreamUnavailable } from 'sluice/sdk'
import { rejectionOf } from '../../test/support/rejection.ts'
import { WorkQueue } from './work-queue.ts'

describe('WorkQueue', () => {
  it('has so many at work, lets others wait in their order, and turns more away', async () => {
    const queue = new WorkQueue({ working: 2, waiting: 3, refusal: 'too many' })
    const stops = Array.from({ length: 6 }, () => new AbortController())
    const begun: number[] = []
    const turns = stops.map(async ({ signal }, index) => {
      const end = await queue.enter(signal)
      begun.push(index)
      return end
    })
    const refusal = await rejectionOf(turns[5]!)
    expect(refusal).to.be.instanceOf(StreamUnavailable)
    expect(refusal).to.have.deep.property('headers', { 'retry-after': '2' })
    expect(begun).to.eql([0, 1])
    stops[2]!.abort(new Error('left'))
    expect(await rejectionOf(turns[2]!)).to.have.property('message', 'left')
    const end = await turns[0]!
    end()
    end()
    await turns[3]
    expect(begun).to.eql([0, 1, 3])
    for (const index of [1, 3]) (await turns[index]!)()
    await turns[4]
    expect(begun).to.eql([0, 1, 3, 4])
  })
})
