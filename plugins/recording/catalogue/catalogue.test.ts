import { expect } from 'chai'
import type { KyselyPlugin } from 'kysely'
import { createFakeHost } from 'sluice/sdk/testing'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import recording from '../index.ts'
import { Catalogue } from './catalogue.ts'
import type { FileEntry } from './file-entry.ts'
import { fileEntry } from '../fixtures/file-entry.ts'
import type { RecordingTables } from './recording-tables.ts'

const entryOf = (startMs: number) => fileEntry({ startMs, endMs: startMs, sizeBytes: 0, isActive: true })

describe('the catalogue of recordings', () => {
  async function rig() {
    const host = await createFakeHost(recording)
    keep({ close: () => host.dispose() })
    const active = new Set<FileEntry>()
    const { log, database } = host.ctx
    /** @param answered resolves when the database answers */
    const open = (answered?: Promise<void>) => {
      const answering: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => (await answered, result),
      }
      const db = host.ctx.store<RecordingTables>().withPlugin(answering)
      return new Catalogue({ log, database, db, active })
    }
    const rows = async (catalogue: Catalogue) => {
      const stored = await catalogue.db.selectFrom('sluice_recording').selectAll().orderBy('start_ms').execute()
      return stored.map(({ id, start_ms, end_ms, is_active }) => [id, start_ms, end_ms, is_active])
    }
    return { host, open, rows, active }
  }

  it('hands on what the database could not be told to the next generation, which knows what is written', async () => {
    const { host, open, rows } = await rig()
    const former = open()
    const [known, fresh] = [entryOf(1), entryOf(2)]
    former.begin(known)
    await former.stored(known)
    host.store!.isAway = true
    known.endMs = 100
    known.isActive = false
    former.changed(known)
    former.begin(fresh)
    const next = open()
    expect([...next.active]).to.eql([fresh])
    await former.close(0, () => (entries) => next.adopt(entries))
    await next.settled()
    host.store!.isAway = false
    await next.stored(known)
    await next.stored(fresh)
    expect(await rows(next)).to.eql([
      [1, 1, 100, 0],
      [2, 2, 2, 1],
    ])
    expect(host.log.problems).to.eql([])
  })

  it('says how many are lost where no generation follows', async () => {
    const { host, open } = await rig()
    const catalogue = open()
    host.store!.isAway = true
    catalogue.begin(entryOf(1))
    await catalogue.close(0, () => undefined)
    expect(host.log.problems).to.have.length(1)
    expect(host.log.problems[0]).to.include({ unstored: 1 })
  })

  it('has one row of a file that is handed on while its row is written', async () => {
    const { open, rows, active } = await rig()
    const answered = Promise.withResolvers<void>()
    const [former, next] = [open(answered.promise), open()]
    const entry = entryOf(1)
    former.begin(entry)
    await former.close(0, () => (entries) => next.adopt(entries))
    await next.stored(entry)
    answered.resolve()
    await waitFor(async () => (await rows(next)).length === 1, { what: 'the row of the former one to be gone' })
    expect(await rows(next)).to.eql([[entry.id, 1, 1, 1]])
    expect([...active]).to.eql([entry])
    expect(entry.isActive).to.equal(true)
  })

  it('has no row of a file that came to nothing while its row was written', async () => {
    const { open, rows } = await rig()
    const catalogue = open()
    const entry = entryOf(1)
    catalogue.begin(entry)
    catalogue.drop(entry)
    await catalogue.settled()
    expect(await rows(catalogue)).to.eql([])
  })
})
