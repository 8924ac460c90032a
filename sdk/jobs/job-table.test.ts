import { expect } from 'chai'
import { StreamUnavailable } from '../errors/stream-errors.ts'
import { JobTable } from './job-table.ts'

/** A job that the test ends. */
class Work {
  readonly stopped: string[] = []
  readonly after: Promise<void> | undefined
  readonly #done = Promise.withResolvers<void>()
  readonly job = { done: this.#done.promise, stop: (reason: string) => void this.stopped.push(reason) }

  constructor(after: Promise<void> | undefined) {
    this.after = after
  }

  async end(): Promise<void> {
    this.#done.resolve()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('JobTable', () => {
  const add = (table: JobTable<string, Work>, place: string) => table.add(place, (after) => new Work(after))

  it('has a job wait for the one before it at its place, and takes out what is done', async () => {
    const table = new JobTable<string, Work>()
    const [first, other] = [add(table, 'a'), add(table, 'b')]
    const second = add(table, 'a')
    expect([first.after, other.after, second.after]).to.eql([undefined, undefined, first.job.done])
    expect(table.at('a')).to.equal(second)
    expect([table.all, table.newest]).to.eql([
      [first, second, other],
      [second, other],
    ])
    await first.end()
    expect(table.all).to.eql([second, other])
    await second.end()
    expect([table.at('a'), table.all]).to.eql([undefined, [other]])
    expect(add(table, 'a').after).to.equal(undefined)
  })

  it('tells who listens what has failed', () => {
    const table = new JobTable<string, Work>()
    const heard: string[] = []
    const stop = table.onFailure((wish) => heard.push(wish))
    table.failed('a')
    stop()
    table.failed('b')
    expect(heard).to.eql(['a'])
  })

  it('stops all when it is closed, and takes no more', () => {
    const table = new JobTable<string, Work>()
    const works = [add(table, 'a'), add(table, 'a'), add(table, 'b')]
    expect(table.isClosed).to.equal(false)
    table.close('over')
    expect(works.map(({ stopped }) => stopped)).to.eql([['over'], ['over'], ['over']])
    expect(table.isClosed).to.equal(true)
    expect(() => add(table, 'c')).to.throw(StreamUnavailable)
  })
})
