import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { waitFor } from '../../test/peers/wait-for.ts'
import { createFile, describeStores, openStore } from '../../test/support/stores.ts'
import type { EndedTask } from 'sluice/sdk'
import { LogRecords } from 'sluice/sdk/testing'
import { HISTORY_MIGRATIONS, type HistoryTables } from './history-tables.ts'
import { newHistory } from './kept-history.ts'
import { MAX_ROWS_OF_A_KIND, MAX_WAITING, MAX_WAITING_SUBSCRIBERS, TaskHistory } from './task-history.ts'

const RUN = 7
const START = new Date('2026-11-23T10:00:00.123Z')

function openHistory(dsn: string) {
  const { store } = openStore(dsn)
  const { logger: log, records: lines } = new LogRecords('history')
  const tables = store.tables<HistoryTables>('sluice_monitor', HISTORY_MIGRATIONS)
  const state = { isOn: true }
  const kept = newHistory()
  const runId = async () => RUN
  const open = () => new TaskHistory({ log, kept, tables, database: store, runId, isOn: () => state.isOn })
  return { store, db: tables, lines, state, open, history: open() }
}

function ended(id: number, kind: EndedTask['kind'] = 'task'): EndedTask {
  return {
    kind,
    id,
    type: 0,
    owner: 'live/a',
    startTime: START,
    endTime: new Date(START.getTime() + id),
    parentId: 3,
    reason: 'done',
    description: () => ({ kind, url: 'x' }),
  }
}

describeStores('the task history', (databases) => {
  it('has what ended, in its order, at once for who asks', async () => {
    const { history } = openHistory(await databases.create())
    history.add(ended(1))
    history.add(ended(2, 'publisher'))
    const [first, second, ...others] = await history.ofRun(RUN)
    expect(others).to.eql([])
    expect(first).to.include({ task_id: 1, parent_id: 3, type: 0, owner: 'live/a', session_id: RUN, reason: 'done' })
    expect(first).to.include({ start_ms: START.getTime(), description: '{"kind":"task","url":"x"}' })
    expect(second).to.include({ task_id: 2, kind: 'publisher', end_ms: START.getTime() + 2 })
    expect(await history.ofRun(RUN + 1)).to.eql([])
  })

  it('is written by itself, and at the end', async () => {
    const dsn = await databases.create()
    const { history, db } = openHistory(dsn)
    expect(await history.ofRun(RUN)).to.eql([])
    history.add(ended(1))
    const count = async () => (await db.selectFrom('sluice_monitor_task').select('id').execute()).length
    await waitFor(async () => (await count()) === 1, { what: 'the row' })
    history.add(ended(2))
    await history.close(60_000)
    expect(await count()).to.equal(2)
  })

  it('has each row once that one generation hands to another, also one that is being written then', async () => {
    const { history, open, db } = openHistory(await databases.create())
    for (let id = 1; id <= 300; id++) history.add(ended(id))
    // The first batch is being written, and the other one waits.
    const left = await history.close(0)
    expect(left).to.have.length(300)
    const next = open()
    next.add(ended(301))
    next.takeIn(left)
    expect(await next.close(60_000)).to.eql([])
    const ids = (await open().ofRun(RUN)).map(({ task_id }) => task_id)
    expect(ids).to.eql(Array.from({ length: 301 }, (_, index) => index + 1))
    expect(await db.selectFrom('sluice_monitor_task').select('id').execute()).to.have.length(301)
  })

  it('has nothing while it is off, and does not ask what ended', async () => {
    const { history, state } = openHistory(await databases.create())
    state.isOn = false
    const description = () => {
      throw new Error('it was asked')
    }
    history.add({ ...ended(1), description })
    expect(await history.ofRun(RUN)).to.eql([])
  })

  it('keeps so many of each kind, the newest', async () => {
    const { history, db } = openHistory(await databases.create())
    const row = { session_id: RUN, task_id: 0, parent_id: 0, type: 0, owner: '', start_ms: 0, end_ms: 0 }
    const old = (kind: EndedTask['kind']) => ({ ...row, kind, description: '{}', reason: '' })
    await db.insertInto('sluice_monitor_task').values(old('publisher')).execute()
    for (let written = 0; written < MAX_ROWS_OF_A_KIND; written += 500) {
      const rows = Array.from({ length: 500 }, () => old('subscriber'))
      await db.insertInto('sluice_monitor_task').values(rows).execute()
    }
    history.add(ended(1, 'subscriber'))
    const rows = await history.ofRun(RUN)
    expect(rows.filter(({ kind }) => kind === 'subscriber')).to.have.length(MAX_ROWS_OF_A_KIND)
    expect(rows[0]).to.include({ kind: 'publisher' })
    expect(rows.at(-1)).to.include({ task_id: 1 })
  })
})

describe('the task history while the database is away', () => {
  it('holds a bounded number, of which few are subscribers, and says how many it left out', async () => {
    const file = path.join(path.dirname(await createFile()), 'later', 'test.db')
    const { history, db, lines } = openHistory(file)
    for (let id = 0; id < MAX_WAITING; id++) history.add(ended(id, 'subscriber'))
    for (let id = 0; id < MAX_WAITING; id++) history.add(ended(id))
    const error = await history.ofRun(RUN).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('code', 'NO_DB')
    await mkdir(path.dirname(file))
    const kinds = await waitFor(async () => {
      const rows = await db.selectFrom('sluice_monitor_task').select('kind').execute()
      return rows.length === MAX_WAITING ? rows.map(({ kind }) => kind) : undefined
    })
    expect(kinds.filter((kind) => kind === 'subscriber')).to.have.length(MAX_WAITING_SUBSCRIBERS)
    const [line] = lines as readonly { readonly msg: string; readonly count?: number }[]
    expect(line).to.include({ count: 2 * MAX_WAITING - MAX_WAITING })
  })
})
