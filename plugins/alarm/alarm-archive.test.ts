import { expect } from 'chai'
import { StoreUnavailable } from 'sluice/sdk'
import { LogRecords } from 'sluice/sdk/testing'
import { keep } from '../../test/peers/lifetime.ts'
import { PostgresServer } from '../../test/peers/postgres.ts'
import { requirePeer } from '../../test/peers/require-peer.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import { describeStores, openStore } from '../../test/support/stores.ts'
import { AlarmArchive, MAX_UNSTORED, type AlarmFilter } from './alarm-archive.ts'
import { createEvent, type AlarmEvent } from './alarm-event.ts'
import { ALARM_MIGRATIONS, type AlarmTables } from './alarm-tables.ts'

const ALL = { limit: 100_000, offset: 0 }

function eventAt(name: string, more: Partial<AlarmEvent> = {}): AlarmEvent {
  return { ...createEvent('host (192.0.2.1)', name, { description: `it was ${name}`, streamPath: 'live/a' }), ...more }
}

function open(dsn: string, maxRows?: number) {
  const { store } = openStore(dsn)
  const logs = new LogRecords('alarm')
  const archive = new AlarmArchive({
    log: logs.logger,
    tables: store.tables<AlarmTables>('alarm', ALARM_MIGRATIONS),
    database: store,
    ...(maxRows === undefined ? {} : { maxRows }),
  })
  keep({ close: async () => void (await archive.close(0)) })
  const add = (event: AlarmEvent) => {
    archive.add(event)
    return archive.row(event)
  }
  const names = async (filter: AlarmFilter = {}, page = ALL) =>
    (await archive.list(filter, page)).events.map(({ name }) => name)
  return { archive, add, lines: logs.records, names }
}

describeStores('the archive of events', (databases) => {
  it('gives each event its row, and lists them, the newest first', async () => {
    const { archive, add, names } = open(await databases.create())
    const events = Array.from({ length: 1200 }, (_, index) => eventAt(`e${index}`))
    await Promise.all(events.map((event) => add(event)))
    const { total, events: listed } = await archive.list({}, ALL)
    expect(total).to.equal(1200)
    expect(listed).to.eql(events.toReversed())
    expect(await names({}, { limit: 3, offset: 10 })).to.eql(['e1189', 'e1188', 'e1187'])
  })

  it('lists what is asked for', async () => {
    const { archive, add, names } = open(await databases.create())
    await add(eventAt('a', { type: 1, createdMs: 1000 }))
    await add(eventAt('b', { type: 2, createdMs: 2000, streamPath: 'other/a' }))
    await add(eventAt('c', { type: 2, createdMs: 3000, streamPath: "live/b'; drop table sluice_alarm; --" }))
    expect(await names({ type: 2 })).to.eql(['c', 'b'])
    expect(await names({ type: 2, name: 'b' })).to.eql(['b'])
    expect(await names({ streamPath: 'live/a' })).to.eql(['a'])
    expect(await names({ streamName: 'a' })).to.eql(['b', 'a'])
    expect(await names({ streamPath: "live/b'; drop table sluice_alarm; --" })).to.eql(['c'])
    expect(await names({ fromMs: 1001, toMs: 3000 })).to.eql(['c', 'b'])
    expect(await names({ fromMs: 1000, toMs: 1999 })).to.eql(['a'])
    expect((await archive.list({ type: 2 }, { limit: 1, offset: 0 })).total).to.equal(2)
  })

  it('notes which were sent, also before they have a row', async () => {
    const { archive, add } = open(await databases.create())
    const events = ['a', 'b', 'c'].map((name) => eventAt(name))
    const stored = events.map((event) => add(event))
    const send = (event: AlarmEvent | undefined) => {
      if (event === undefined) throw new Error('no event')
      event.isSent = true
      if (event.id > 0) archive.add(event)
    }
    send(events[0])
    await Promise.all(stored)
    send(events[2])
    const sent = async () => (await archive.list({}, ALL)).events.map(({ name, isSent }) => `${name} ${isSent}`)
    await waitFor(async () => (await sent()).join() === 'c true,b false,a true')
  })

  it('keeps the newest rows', async () => {
    const { add, names } = open(await databases.create(), 100)
    for (let batch = 0; batch < 20; batch++) {
      const events = Array.from({ length: 50 }, (_, index) => eventAt(`e${batch * 50 + index}`))
      await Promise.all(events.map((event) => add(event)))
    }
    await waitFor(async () => (await names()).length <= 150)
    expect((await names()).slice(0, 100)).to.eql(Array.from({ length: 100 }, (_, index) => `e${999 - index}`))
  })

  it('takes anything that a plugin may say', async () => {
    const { archive, add } = open(await databases.create())
    const description = `\0\n\u{1f600}\ud800${'x'.repeat(5000)}`
    const event = createEvent('host', '\0', { description, filePath: '\0', type: 2 ** 31 })
    await add(event)
    const [listed] = (await archive.list({}, ALL)).events
    expect(listed).to.eql(event)
    expect(listed?.description).to.have.length(1024)
  })

  it('stores what is left when it is closed, and nothing later', async () => {
    const dsn = await databases.create()
    const { archive, add, lines } = open(dsn)
    for (let index = 0; index < 2000; index++) void add(eventAt(`e${index}`))
    expect(await archive.close(60_000)).to.eql([])
    await add(eventAt('late'))
    expect((await archive.list({}, ALL)).total).to.equal(2000)
    expect(lines).to.eql([])
  })
})

describe('the archive of events without a database', () => {
  before(function () {
    requirePeer(this, 'postgresql')
  })

  it('keeps events until it is back, the newest of them, and says what it lost', async () => {
    const database = await PostgresServer.start()
    const { archive, add, lines, names } = open(await database.createDatabase())
    await add(eventAt('before'))
    await database.stop()
    await add(eventAt('first'))
    const lost = 3
    const events = Array.from({ length: MAX_UNSTORED + lost - 1 }, (_, index) => eventAt(`e${index}`))
    await Promise.all(events.map((event) => add(event)))
    expect(events.every(({ id }) => id === 0)).to.equal(true)
    expect([archive.waiting, archive.dropped]).to.eql([MAX_UNSTORED, lost])
    expect(lines).to.have.length(1)
    expect(await archive.list({}, ALL).catch((error: unknown) => error)).to.be.instanceOf(StoreUnavailable)
    await database.start()
    await waitFor(() => archive.waiting === 0, { what: 'the events to be stored' })
    const stored = await names()
    expect(stored).to.have.length(MAX_UNSTORED + 1)
    expect([stored[0], stored.at(-2), stored.at(-1)]).to.eql([`e${MAX_UNSTORED + 1}`, 'e2', 'before'])
  })
})
