import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { waitFor } from '../../test/peers/wait-for.ts'
import { createFile, describeStores, openStore } from '../../test/support/stores.ts'
import { logLines } from '../host/testing/log-lines.ts'
import { MONITOR_MIGRATIONS, type MonitorTables } from './monitor-tables.ts'
import { MAX_RUNS, Runs } from './runs.ts'

const START = new Date('2026-11-23T10:00:00.123Z')

/** A run of a server with this database, as its own process would have it. */
function openRuns(dsn: string) {
  const { store } = openStore(dsn)
  const { log, lines } = logLines()
  const db = store.tables<MonitorTables>('sluice_monitor', MONITOR_MIGRATIONS)
  return { store, db, lines, runs: new Runs({ log, db, store, startTime: () => START }) }
}

describeStores('the runs of a server', (databases) => {
  it('are kept, each with its end, in the order of their ids', async () => {
    const dsn = await databases.create()
    const first = openRuns(dsn)
    first.runs.begin()
    expect(await first.runs.list()).to.have.length(1)
    await first.runs.end()
    await first.store.close()
    const second = openRuns(dsn)
    second.runs.begin()
    const [before, now, ...others] = await second.runs.list()
    expect(others).to.eql([])
    expect(before).to.include({ pid: process.pid })
    expect(before?.args).to.include('mocha')
    expect(before?.startTime).to.eql(START)
    expect(before?.endTime?.getTime()).to.be.closeTo(Date.now(), 600_000)
    expect(now?.endTime).to.equal(undefined)
    expect(now?.id)
      .to.be.above(before?.id ?? Infinity)
      .and.to.equal(await second.runs.id())
  })

  it('have no end where the server could write none', async () => {
    const dsn = await databases.create()
    const killed = openRuns(dsn)
    killed.runs.begin()
    await killed.runs.id()
    await killed.store.close()
    await killed.runs.end()
    const next = openRuns(dsn)
    next.runs.begin()
    expect((await next.runs.list()).map(({ endTime }) => endTime)).to.eql([undefined, undefined])
  })

  it('are dropped with their history, the oldest first, beyond a bound', async () => {
    const { runs, db } = openRuns(await databases.create())
    const old = Array.from({ length: MAX_RUNS + 5 }, (_, pid) => ({ pid, args: '', start_ms: pid, end_ms: 1 }))
    await db.insertInto('sluice_monitor_run').values(old).execute()
    const task = { task_id: 1, parent_id: 0, kind: 'task', type: 0, owner: '', start_ms: 0, end_ms: 1 } as const
    const history = [1, MAX_RUNS].map((session_id) => ({ ...task, session_id, description: '{}', reason: '' }))
    await db.insertInto('sluice_monitor_task').values(history).execute()
    runs.begin()
    const list = await runs.list()
    expect(list).to.have.length(MAX_RUNS)
    expect(list[0]).to.include({ pid: 6 })
    const left = await db.selectFrom('sluice_monitor_task').select('session_id').execute()
    expect(left).to.eql([{ session_id: MAX_RUNS }])
  })
})

describe('the runs of a server without a database', () => {
  it('are this one alone, which is written as soon as the database is there', async () => {
    const file = path.join(path.dirname(await createFile()), 'later', 'test.db')
    const { runs, lines } = openRuns(file)
    runs.begin()
    const [own, ...others] = await runs.list()
    expect(others).to.eql([])
    expect(own).to.include({ id: 0, pid: process.pid })
    expect(own?.startTime).to.eql(START)
    await mkdir(path.dirname(file))
    expect(await waitFor(() => runs.id())).to.equal(1)
    expect((await runs.list()).map(({ id }) => id)).to.eql([1])
    expect(lines).to.eql([])
  })

  it('are over without a word, also one that never began', async () => {
    const { runs, lines } = openRuns(path.join(path.dirname(await createFile()), 'never', 'test.db'))
    await runs.end()
    runs.begin()
    await runs.end()
    await runs.end()
    expect(lines).to.eql([])
  })
})
