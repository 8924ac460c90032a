import { expect } from 'chai'
import { SluiceError } from './sluice-error.ts'
import { StreamExists, StreamUnavailable } from './stream-errors.ts'

describe('SluiceError', () => {
  it('is told from other errors, and its classes from each other', () => {
    expect(new StreamExists()).to.be.instanceOf(SluiceError).and.instanceOf(StreamExists)
    expect(new StreamExists()).to.not.be.instanceOf(StreamUnavailable)
    expect(new SluiceError('MINE', 402, '')).to.not.be.instanceOf(StreamExists)
    for (const value of [new Error('other'), null, 'text']) expect(value instanceof SluiceError).to.equal(false)
  })

  it('is known when it comes from another copy of the sdk', async () => {
    const copy = (await import(`${new URL('sluice-error.ts', import.meta.url).href}?copy`)) as {
      SluiceError: typeof SluiceError
    }
    expect(copy.SluiceError).to.not.equal(SluiceError)
    expect(new copy.SluiceError('MINE', 402, 'pay'))
      .to.be.instanceOf(SluiceError)
      .with.property('code', 'MINE')
  })
})
