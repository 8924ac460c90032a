import { expect } from 'chai'
import { keep } from '../peers/lifetime.ts'
import { sideBySide } from './side-by-side.ts'
import { isSoak } from './soak.ts'

describe('tests side by side', () => {
  const steps: string[] = []
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]

  const itBeside = sideBySide(2)

  itBeside('meet each other', async () => {
    keep({ close: () => void steps.push('the end of the first') })
    first.resolve()
    if (!isSoak) await second.promise
    steps.push('the first')
  })

  itBeside('need not wait for who is before', async () => {
    second.resolve()
    await first.promise
  })

  itBeside('take their turn, when what was started before them has ended', () => {
    steps.push('the third')
    return Promise.resolve()
  })

  it('have run before the first is told of', () => {
    expect(steps).to.eql(['the first', 'the end of the first', 'the third'])
  })
})
