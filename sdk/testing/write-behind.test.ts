import { expect } from 'chai'
import { StoreUnavailable } from '../errors/store-errors.ts'
import { LogRecords } from './log-records.ts'
import { ManualClock } from './manual-clock.ts'
import { WriteBehind, type WriteBehindOptions } from '../plugin/write-behind.ts'

/** Long enough for all that waits for nothing but promises. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function createRig(options: Partial<WriteBehindOptions<string>> = {}) {
  const clock = new ManualClock()
  const logs = new LogRecords('rows')
  const listeners = new Set<() => void>()
  const database = {
    onAvailable(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const rig = { isAway: false, written: [] as string[][], tries: 0, held: undefined as Promise<void> | undefined }
  const rows = new WriteBehind<string>({
    log: logs.logger,
    database,
    loss: 'rows were not stored',
    batchSize: 3,
    async write(batch) {
      rig.tries += 1
      await rig.held
      if (rig.isAway) throw new StoreUnavailable('it is away')
      if (batch.includes('bad')) throw new Error('no column takes it')
      rig.written.push([...batch])
    },
    clock: {
      setTimeout(callback, delayMs) {
        const timer = clock.setTimeout(callback, delayMs)
        return () => clock.clear(timer)
      },
    },
    ...options,
  })
  const advance = async (ms: number) => {
    clock.advance(ms)
    await turn()
  }
  const comeBack = async () => {
    rig.isAway = false
    for (const listener of listeners) listener()
    await turn()
  }
  const add = (...items: string[]) => items.forEach((item) => rows.add(item))
  return { rig, rows, clock, listeners, advance, comeBack, add, logs }
}

describe('WriteBehind', () => {
  it('writes what comes in its order, in batches, one after another', async () => {
    const { rig, rows, add, logs } = createRig()
    add('a', 'b', 'c', 'd', 'e')
    await rows.settled()
    expect(rig.written).to.eql([['a'], ['b', 'c', 'd'], ['e']])
    expect([rows.waiting, rows.lost, logs.problems]).to.eql([0, 0, []])
  })

  it('gathers for a while, and writes at once for who waits', async () => {
    const { rig, rows, add, advance } = createRig({ gatherMs: 1000 })
    add('a')
    await advance(999)
    add('b')
    expect(rig.written).to.eql([])
    await advance(1)
    expect(rig.written).to.eql([['a', 'b']])
    add('c')
    await rows.settled()
    expect(rig.written).to.eql([['a', 'b'], ['c']])
    await advance(5000)
    expect(rig.tries).to.equal(2)
  })

  it('tries again what the database did not take, each time after twice as long, and at once when it is back', async () => {
    const { rig, rows, add, advance, comeBack, logs } = createRig()
    rig.isAway = true
    add('a', 'b')
    await rows.settled()
    const tries: number[] = []
    for (const waitMs of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      add('c')
      await advance(waitMs - 1)
      tries.push(rig.tries)
      await advance(1)
      tries.push(rig.tries)
    }
    expect(tries).to.eql([1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8])
    expect(rows.waiting).to.equal(3)
    await comeBack()
    expect(rig.written).to.eql([['a', 'b', 'c']])
    rig.isAway = true
    add('d')
    await turn()
    await advance(1000)
    expect(rig.tries).to.equal(11)
    expect(logs.problems).to.eql([])
  })

  it('resolves for each item when it is written, and for all when none waits or the database is away', async () => {
    const { rig, rows, add, comeBack } = createRig()
    const held = Promise.withResolvers<void>()
    rig.held = held.promise
    const events: string[] = []
    add('a', 'b')
    void rows.stored('a').then(() => events.push('a'))
    void rows.stored('b').then(() => events.push('b'))
    void rows.settled().then(() => events.push('settled'))
    await rows.stored('never added')
    expect(events).to.eql([])
    rig.isAway = true
    held.resolve()
    await turn()
    expect(events).to.eql(['settled'])
    await comeBack()
    expect(events).to.eql(['settled', 'a', 'b'])
  })

  it('writes an item again that was added while it was written, and none that was taken out', async () => {
    const { rig, rows, add, comeBack } = createRig()
    const held = Promise.withResolvers<void>()
    rig.held = held.promise
    add('a', 'b', 'c')
    add('a')
    rows.remove('c')
    expect([rows.has('a'), rows.has('c')]).to.eql([true, false])
    held.resolve()
    await rows.settled()
    expect(rig.written).to.eql([['a'], ['b', 'a']])
    rig.isAway = true
    rig.held = turn()
    add('d', 'e')
    rows.remove('d')
    await turn()
    await comeBack()
    expect(rig.written.slice(2)).to.eql([['e']])
  })

  it('loses the oldest beyond its bound, and says so once a minute', async () => {
    const { rig, rows, add, comeBack, logs } = createRig({ maxWaiting: 4 })
    rig.isAway = true
    add('a')
    await turn()
    const stored = rows.stored('a')
    add('b', 'c', 'd', 'e', 'f')
    await stored
    expect([rows.waiting, rows.lost]).to.eql([4, 2])
    expect(logs.problems).to.have.length(1)
    expect(logs.problems[0]).to.include({ msg: 'rows were not stored: the database takes none', dropped: 1, level: 40 })
    await comeBack()
    expect(rig.written).to.eql([['c', 'd', 'e'], ['f']])
  })

  it('loses what no table takes, and goes on with what follows', async () => {
    const { rig, rows, add, logs } = createRig()
    add('a', 'bad', 'b', 'c', 'd')
    await rows.stored('bad')
    await rows.settled()
    expect(rig.written).to.eql([['a'], ['d']])
    expect([rows.waiting, rows.lost]).to.eql([0, 3])
    expect(logs.problems).to.have.length(1)
    expect(logs.problems[0]).to.include({ msg: 'rows were not stored', dropped: 3, level: 50 })
    expect(logs.problems[0]).to.have.nested.property('err.message', 'no column takes it')
  })

  it('writes all that is left when it is closed, and takes nothing more', async () => {
    const { rig, rows, add, clock, listeners } = createRig({ gatherMs: 1000 })
    add('a', 'b', 'c', 'd')
    expect(await rows.close(1000)).to.eql([])
    add('late')
    await rows.settled()
    expect(rig.written).to.eql([['a', 'b', 'c'], ['d']])
    expect([rows.waiting, clock.pending, listeners.size]).to.eql([0, 0, 0])
  })

  it('gives back what it could not write while the database is away, after one more try', async () => {
    const { rig, rows, add, clock } = createRig()
    rig.isAway = true
    add('a', 'b')
    await turn()
    const stored = rows.stored('b')
    expect(await rows.close(1000)).to.eql(['a', 'b'])
    await stored
    expect([rig.tries, rows.waiting, rows.lost, clock.pending]).to.eql([2, 0, 0, 0])
  })

  it('gives back what is not written in time, and begins no more then', async () => {
    const { rig, rows, add, advance, clock } = createRig()
    const held = Promise.withResolvers<void>()
    rig.held = held.promise
    add('a', 'b')
    const closing = rows.close(1000)
    await advance(1000)
    expect(await closing).to.eql(['a', 'b'])
    held.resolve()
    await turn()
    expect(rig.written).to.eql([['a']])
    expect([rows.waiting, clock.pending]).to.eql([0, 0])
  })
})
