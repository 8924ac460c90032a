import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { sql, type Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { Client } from 'pg'
import { StoreUnavailable } from 'sluice/sdk'
import { PostgresServer, sharedPostgres } from '../../test/peers/postgres.ts'
import { requirePeer } from '../../test/peers/require-peer.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import { createFile, openStore } from '../../test/support/stores.ts'
import { logLines } from '../host/testing/log-lines.ts'
import { SilentRelay } from './fixtures/silent-relay.ts'
import { Store } from './store.ts'

type Tables = { sluice_note: { text: string } }

const NOTES: Readonly<Record<string, Migration>> = {
  '001-note': { up: (db) => db.schema.createTable('sluice_note').addColumn('text', 'text').execute() },
}
const ERROR = 50

function write(db: Kysely<Tables>, text: string): Promise<unknown> {
  return db.insertInto('sluice_note').values({ text }).execute()
}

async function notes(db: Kysely<Tables>): Promise<string[]> {
  const rows = await db.selectFrom('sluice_note').select('text').orderBy('text').execute()
  return rows.map(({ text }) => text)
}

async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    return error as Error
  }
  throw new Error('it did not reject')
}

describe('Store: PostgreSQL that goes away', () => {
  before(async function () {
    requirePeer(this, 'postgresql')
    await sharedPostgres()
  })

  it('fails queries at once, and comes back by itself', async () => {
    const server = await PostgresServer.start()
    const { store, lines } = openStore(await server.createDatabase())
    const db = store.tables<Tables>('note', NOTES)
    let told = 0
    store.onAvailable(() => (told += 1))
    await write(db, 'before')
    await server.stop()
    const errors = await Promise.all(Array.from({ length: 50 }, () => rejection(write(db, 'during'))))
    for (const error of errors) expect(error).to.be.instanceOf(StoreUnavailable)
    const late = await rejection(notes(db))
    expect(late.message).to.match(/^no db: /u)
    await server.start()
    await waitFor(() => told === 2, { what: 'the database to be back' })
    await write(db, 'after')
    expect(await notes(db)).to.eql(['after', 'before'])
    const problems = lines.filter(({ level }) => level === ERROR).map(({ msg }) => msg)
    expect(problems.length, problems.join('\n')).to.be.within(1, 3)
    expect(problems[0]).to.match(/^no database: .*; it is tried again until it is there$/u)
    expect(lines.filter(({ msg }) => msg === 'the database is back')).to.have.length(1)
  })

  it('ends a transaction that was under way, and none of it is kept', async () => {
    const server = await PostgresServer.start()
    const { store } = openStore(await server.createDatabase())
    const db = store.tables<Tables>('note', NOTES)
    const failed = db.transaction().execute(async (transaction) => {
      await write(transaction, 'a')
      await server.stop()
      await write(transaction, 'b')
    })
    expect(await rejection(failed)).to.be.instanceOf(StoreUnavailable)
    await server.start()
    expect(await waitFor(() => notes(db))).to.eql([])
  })

  it('is waited for from the start, without its password in the log', async () => {
    const server = await PostgresServer.start()
    const url = new URL(await server.createDatabase())
    url.password = 'hush'
    await server.stop()
    const { store, text } = openStore(url.href)
    const db = store.tables<Tables>('note', NOTES)
    store.open()
    const errors = [await rejection(write(db, 'a')), await rejection(write(db, 'a'))]
    expect(errors.map(String).join())
      .to.match(/no db: /u)
      .and.not.include('hush')
    await server.start()
    await waitFor(async () => write(db, 'b').then(() => true))
    expect(await notes(db)).to.eql(['b'])
    expect(text()).to.include('no database: ').and.not.include('hush').and.not.include('tester')
  })

  it('goes on with the connections that it has where there may be no more', async () => {
    const url = new URL(await (await sharedPostgres()).createDatabase())
    const name = url.pathname.slice(1)
    await ask(`create role ${name} login connection limit 1`)
    await ask(`alter database ${name} owner to ${name}`)
    url.username = name
    const { store, text } = openStore(url.href)
    const db = store.tables<Tables>('note', NOTES)
    await write(db, 'a')
    await db.transaction().execute(async (transaction) => {
      await write(transaction, 'b')
      expect((await rejection(notes(db))).message).to.match(/^no db: it has no connection left/u)
    })
    expect(await notes(db)).to.eql(['a', 'b'])
    expect(text()).not.to.include('no database')
  })

  it('has its tables made when another one is there in its place', async () => {
    const url = new URL(await (await sharedPostgres()).createDatabase())
    const name = url.pathname.slice(1)
    const { store, text } = openStore(url.href)
    const db = store.tables<Tables>('note', NOTES)
    await write(db, 'a')
    await ask(`drop database ${name} with (force)`)
    await waitFor(() => text().includes('no database: there is no database of this name'))
    await ask(`create database ${name}`)
    await waitFor(async () => write(db, 'b').then(() => true))
    expect(await notes(db)).to.eql(['b'])
  })

  it('is away where the network is silent, and comes back', async () => {
    const server = await sharedPostgres()
    const relay = await SilentRelay.start(server)
    const { store, text } = openStore(relay.url(await server.createDatabase()))
    const db = store.tables<Tables>('note', NOTES)
    await write(db, 'a')
    await Promise.all([1, 2].map(() => sql`select pg_sleep(0.2)`.execute(db)))
    await waitFor(() => relay.pairs.length === 2)
    relay.silence()
    // One is cut, which has the other looked at.
    relay.pairs[0]?.near.resetAndDestroy()
    await waitFor(() => text().includes('no database: it does not answer'))
    relay.speak()
    await waitFor(() => text().includes('the database is back'))
    expect(await notes(db)).to.eql(['a'])
  })

  it('can be closed while it is being opened', async () => {
    const { store, lines } = openStore(await (await sharedPostgres()).createDatabase())
    store.open()
    await store.close()
    expect((await rejection(notes(store.tables<Tables>('note', NOTES)))).message).to.include('the server is stopping')
    expect(lines.filter(({ level }) => level >= ERROR)).to.eql([])
  })

  it('says what to do where it refuses', async () => {
    const server = await PostgresServer.start()
    const { store, text } = openStore(server.url('nothing'))
    const error = await rejection(notes(store.tables<Tables>('note', NOTES)))
    expect(error.message).to.equal('no db: there is no database of this name; make it, or see db.dsn')
    expect(text()).to.include('there is no database of this name')
  })
})

describe('Store: a dsn of PostgreSQL that is of no use', () => {
  const CASES = [
    [
      'hush@127.0.0.1:1/x?sslrootcert=/nowhere/ca.pem',
      'no db: a file that db.dsn names (sslrootcert, sslcert, sslkey) can not be read',
    ],
    ['hush@127.0.0.1:1/x?host=%2Fnowhere', 'no db: there is no socket at its address'],
  ] as const
  for (const [rest, message] of CASES) {
    it(`says so of ${rest}`, async () => {
      const { store, text } = openStore(`postgres://someone:${rest}`)
      const error = await rejection(notes(store.tables<Tables>('note', NOTES)))
      expect(error.message).to.equal(message)
      expect(text()).to.include(message.slice('no db: '.length)).and.not.include('hush')
    })
  }
})

describe('Store: a file of SQLite', () => {
  it('is not made before the first query, and then for the server alone', async () => {
    const file = await createFile()
    const { store } = openStore(file)
    const db = store.tables<Tables>('note', NOTES)
    store.open()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await exists(file)).to.equal(false)
    await write(db, 'a')
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
  })

  it('lies in the data folder, which is made for the server alone', async () => {
    const datadir = path.join(path.dirname(await createFile()), 'deep', 'data')
    const store = new Store({ log: logLines().log, dsn: '', dbtype: '', datadir })
    await write(store.tables<Tables>('note', NOTES), 'a')
    expect((await stat(datadir)).mode & 0o777).to.equal(0o700)
    await store.close()
    expect(await readdir(datadir)).to.eql(['sluice.db'])
  })

  it('is left as it is when it is of another program', async () => {
    const file = await createFile()
    const other = new DatabaseSync(file)
    other.exec('create table song (title text)')
    other.close()
    const before = await readFile(file)
    const { store, text } = openStore(file)
    const error = await rejection(write(store.tables<Tables>('note', NOTES), 'a'))
    expect(error.message).to.equal('no db: its file is of another program; name another one in db.dsn')
    await store.close()
    expect(await readFile(file)).to.eql(before)
    expect(text()).to.include(file)
  })

  it('is left as it is when it is no database', async () => {
    const file = await createFile()
    await writeFile(file, 'a letter\n'.repeat(500))
    const { store } = openStore(file)
    const error = await rejection(write(store.tables<Tables>('note', NOTES), 'a'))
    expect(error.message).to.match(/^no db: its file is no SQLite database; move it away/u)
    await store.close()
    expect(await readFile(file, 'utf8')).to.equal('a letter\n'.repeat(500))
  })

  it('says that it is damaged, and goes on with what is not', async () => {
    const file = await createFile()
    const first = openStore(file)
    const db = first.store.tables<Tables>('note', NOTES)
    for (let count = 0; count < 20; count++) await write(db, `${count} ${'x'.repeat(2000)}`)
    await first.store.close()
    const bytes = await readFile(file)
    // All but the pages of the schema and the bookkeeping.
    bytes.fill(0x5a, 4 * 4096)
    await writeFile(file, bytes)
    const { store, text } = openStore(file)
    const error = await rejection(notes(store.tables<Tables>('note', NOTES)))
    expect(error.message).to.equal('no db: its file is damaged; stop the server, and put a backup in its place')
    expect(text()).to.include('the database refuses queries: its file is damaged')
  })

  it('is tried again until its folder is there', async () => {
    const file = path.join(path.dirname(await createFile()), 'later', 'test.db')
    const { store, lines } = openStore(file)
    const db = store.tables<Tables>('note', NOTES)
    const error = await rejection(write(db, 'a'))
    expect(error.message).to.match(/^no db: its file can not be opened; see that its folder is there/u)
    await mkdir(path.dirname(file))
    await waitFor(async () => write(db, 'a').then(() => true))
    expect(lines.filter(({ level }) => level === ERROR)).to.have.length(1)
  })

  it('can be read while it is full', async () => {
    const { store, lines } = openStore(await createFile())
    const db = store.tables<Tables>('note', NOTES)
    await write(db, 'first')
    // As large as it is: what a full disk says, SQLite says of this, too.
    await sql`pragma max_page_count = 1`.execute(db)
    const fill = async () => {
      for (;;) await write(db, 'x'.repeat(5000))
    }
    expect((await rejection(fill())).message).to.equal('no db: the disk is full')
    const inTransaction = db.transaction().execute((transaction) => write(transaction, 'y'.repeat(5000)))
    expect((await rejection(inTransaction)).message).to.equal('no db: the disk is full')
    expect(await notes(db)).to.include('first')
    expect(lines.filter(({ level }) => level === ERROR).map(({ msg }) => msg)).to.eql([
      'the database refuses queries: the disk is full',
    ])
    await sql`pragma max_page_count = 1000000`.execute(db)
    await write(db, 'last')
    expect(await notes(db)).to.include('last')
  })

  it('comes back when its thread has ended', async () => {
    const { store, lines } = openStore(await createFile())
    const db = store.tables<Tables>('note', NOTES)
    const threads: Worker[] = []
    process.once('worker', (thread) => threads.push(thread))
    await write(db, 'a')
    const begun = Promise.withResolvers<void>()
    const beside = db.transaction().execute(async (transaction) => {
      await write(transaction, 'b')
      begun.resolve()
      for (;;) await write(transaction, 'c')
    })
    await begun.promise
    const waiting = write(db, 'd')
    await threads[0]?.terminate()
    const errors = await Promise.all([rejection(beside), rejection(waiting)])
    expect(errors.map(({ message }) => message)).to.eql(Array(2).fill('no db: its thread has ended'))
    expect(await waitFor(() => notes(db))).to.eql(['a'])
    await write(db, 'e')
    expect(lines.filter(({ level }) => level === ERROR)).to.have.length(1)
    expect(lines.filter(({ msg }) => msg === 'the database is back')).to.have.length(1)
  })

  it('has its tables made when its file is gone as its thread comes back', async () => {
    const file = await createFile()
    const { store } = openStore(file)
    const db = store.tables<Tables>('note', NOTES)
    const threads: Worker[] = []
    process.once('worker', (thread) => threads.push(thread))
    await write(db, 'a')
    for (const ending of ['', '-wal', '-shm']) await rm(file + ending)
    await threads[0]?.terminate()
    await waitFor(async () => write(db, 'b').then(() => true))
    expect(await notes(db)).to.eql(['b'])
  })

  it('does not hold up the event loop', async () => {
    const { store } = openStore(await createFile())
    const db = store.tables<Tables>('note', NOTES)
    await write(db, 'a')
    const { rows: counted } = await sql<{ n: number }>`select 1 as n`.execute(db)
    expect(counted).to.eql([{ n: 1 }])
    let isDone = false
    let turns = 0
    const count = () => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const heavy = sql<{ n: number }>`with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000)
      select count(*) as n from n`
    const { rows } = await heavy.execute(db)
    isDone = true
    expect(rows).to.eql([{ n: 3_000_000 }])
    // On the main thread it would be a single turn.
    expect(turns).to.be.greaterThan(20)
  })
})

/** Asks the server that all tests share, as its superuser. */
async function ask(statement: string): Promise<void> {
  const client = new Client({ connectionString: (await sharedPostgres()).url('postgres') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}
