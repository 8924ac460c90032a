import { expect } from 'chai'
import { TurnQueue } from './turn-queue.ts'

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('a queue of work by turns', () => {
  it('does in a turn what is quick, in order', async () => {
    const queue = new TurnQueue(Infinity)
    const done: number[] = []
    for (let index = 0; index < 10; index++) queue.add(() => void done.push(index))
    expect(done).to.eql([])
    await turn()
    // What came while a turn was due already is for the one after it.
    await turn()
    expect(done).to.eql([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('leaves to the next turns what comes after its time is over', async () => {
    const queue = new TurnQueue(-1)
    const done: string[] = []
    for (const name of ['a', 'b', 'c']) queue.add(() => void done.push(name))
    queue.add(() => queue.add(() => void done.push('later')))
    const lengths: number[] = []
    while (!done.includes('later')) {
      await turn()
      lengths.push(done.length)
    }
    expect(done).to.eql(['a', 'b', 'c', 'later'])
    expect(new Set(lengths).size).to.be.greaterThan(2)
  })

  it('lets what a task left to promises be done before the next task', async () => {
    const queue = new TurnQueue(Infinity)
    const done: string[] = []
    queue.add(() => void Promise.resolve().then(() => done.push('promised')))
    queue.add(() => void done.push('next'))
    queue.add(() => void Promise.resolve().then(() => done.push('promised later')))
    queue.add(() => void done.push('last'))
    await turn()
    await turn()
    expect(done).to.eql(['promised', 'next', 'promised later', 'last'])
  })
})
