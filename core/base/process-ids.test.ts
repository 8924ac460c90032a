import { expect } from 'chai'
import { StreamUnavailable } from 'sluice/sdk'
import { ProcessIds, processOf } from './process-ids.ts'

const MAX_COUNT = 2 ** 20 - 1

describe('ids that carry their process', () => {
  it('count from 1, and are those of the only process as they are', () => {
    const ids = new ProcessIds(0)
    expect([ids.take(), ids.take(), ids.take()]).to.eql([1, 2, 3])
  })

  it('are unsigned 32-bit numbers of which the process can be told', () => {
    const ids = [new ProcessIds(3).take(), new ProcessIds(4095).take()]
    expect(ids).to.eql([0x300001, 0xfff00001])
    expect(ids.map(processOf)).to.eql([3, 4095])
  })

  it('come again after all others, and never while they are in use', () => {
    const ids = new ProcessIds(1)
    const held = ids.take()
    const released = ids.take()
    ids.release(released)
    let last = released
    for (let count = 2; count < MAX_COUNT; count++) {
      last = ids.take()
      ids.release(last)
    }
    expect(last & MAX_COUNT).to.equal(MAX_COUNT)
    expect(ids.take()).to.equal(released)
    ids.release(held)
  })

  it('run out', () => {
    const ids = new ProcessIds(0)
    for (let count = 0; count < MAX_COUNT; count++) ids.take()
    expect(() => ids.take()).to.throw(StreamUnavailable)
    ids.release(7)
    expect(ids.take()).to.equal(7)
  })
})
