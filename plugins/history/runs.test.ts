import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { waitFor } from '../../test/peers/wait-for.ts'
import { createFile, describeStores, openStore } from '../../test/support/stores.ts'
import { LogRecords } from 'sluice/sdk/testing'
import { HISTORY_MIGRATIONS, type HistoryTables } from './history-tables.ts'
import { newHistory } from './kept-history.ts'
import { MAX_RUNS, Runs } from './runs.ts'

const START = new Date('2026-11-23T10:00:00.123Z')
const LATER = new Date('2026-11-24T10:00:00.456Z')

/** A run of a server with this database, as its own process would have it. */
function openRuns(dsn: string, startTime = START) {
  const { store } = openStore(dsn)
  const { logger: log, records: lines } = new LogRecords('history')
  const tables = store.tables<HistoryTables>('sluice_monitor', HISTORY_MIGRATIONS)
  const kept = newHistory()
  const open = () => new Runs({ log, kept, tables, database: store, startTime })
  return { store, tables, lines, open, runs: open() }
}

describeStores('the runs of a server', (databases) => {
  it('are kept, each with its end, in the order of their ids', async () => {
    const dsn = await databases.create()
    const first = openRuns(dsn)
    first.runs.begin()
    expect(await first.runs.list()).to.have.length(1)
    first.runs.end()
    await first.runs.close(60_000)
    await first.store.close()
    const second = openRuns(dsn, LATER)
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
    killed.runs.end()
    await killed.runs.close(60_000)
    const next = openRuns(dsn, LATER)
    next.runs.begin()
    expect((await next.runs.list()).map(({ endTime }) => endTime)).to.eql([undefined, undefined])
  })

  it('have one row over generations, whichever writes it, and go on when the plugin comes back', async () => {
    const dsn = await databases.create()
    const { runs, open, tables } = openRuns(dsn)
    const generations = [runs, ...Array.from({ length: 20 }, open)]
    for (const generation of generations) generation.begin()
    await Promise.all(generations.map((generation) => generation.close(60_000)))
    const newest = open()
    newest.end()
    await newest.close(60_000)
    expect((await newest.list()).map(({ endTime }) => endTime !== undefined)).to.eql([true])
    // What was kept is gone with the folder of the plugin.
    const back = openRuns(dsn)
    back.runs.begin()
    expect((await back.runs.list()).map(({ endTime }) => endTime)).to.eql([undefined])
    expect(await tables.selectFrom('sluice_monitor_run').select('end_ms').execute()).to.eql([{ end_ms: 0 }])
  })

  it('are dropped with their history, the oldest first, beyond a bound', async () => {
    const { runs, tables: db } = openRuns(await databases.create())
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
    runs.end()
    runs.begin()
    runs.end()
    runs.end()
    await runs.close(60_000)
    expect(lines).to.eql([])
  })
})
