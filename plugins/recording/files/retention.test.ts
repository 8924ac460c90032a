import { expect } from 'chai'
import type { RecordConfig } from 'sluice/sdk'
import { LogRecords } from 'sluice/sdk/testing'
import { describeStores, openStore } from '../../../test/support/stores.ts'
import { Catalogue } from '../catalogue/catalogue.ts'
import type { FileEntry } from '../catalogue/file-entry.ts'
import { fileEntry } from '../fixtures/file-entry.ts'
import { RECORDING_MIGRATIONS, type RecordingTables } from '../catalogue/recording-tables.ts'
import { Retention } from './retention.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW_MS = 100 * DAY_MS

function entryAt(startMs: number, createdMs = startMs): FileEntry {
  return fileEntry({ startMs, createdMs, headBytes: 10 })
}

describe('a full disk', () => {
  it('is known of a plugin that comes during a look', async () => {
    const sections: { plugin: string; types: string[]; section: RecordConfig }[] = []
    const section = { diskmaxpercent: 90, overwritepercent: 0, recordfileexpiredays: 0 } as RecordConfig
    const told: string[] = []
    const looks: PromiseWithResolvers<void>[] = []
    const retention = new Retention({
      log: new LogRecords('recording').logger,
      catalogue: {} as Pick<Catalogue, 'db'>,
      files: {
        hasBackup: false,
        hasRemote: false,
        fullness: undefined,
        async usage() {
          looks.push(Promise.withResolvers())
          await looks.at(-1)?.promise
          return { usedPercent: 95, freeBytes: 1 }
        },
        backUp: () => Promise.resolve(false),
        delete: () => Promise.resolve(false),
      },
      sections: () => [...sections],
      limits: { overwritepercent: 99, backupoverwritepercent: 0 },
      full: (plugin) => void told.push(plugin),
      isThere: () => true,
      alarm: () => {},
    })
    retention.start()
    sections.push({ plugin: 'mp4', types: ['mp4'], section })
    retention.look()
    for (let look = 0; look < 3 && told.length === 0; look++) {
      looks.at(-1)?.resolve()
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    }
    expect([told, retention.fullness('mp4') === undefined]).to.eql([['mp4'], false])
    for (const { resolve } of looks) resolve()
    await retention.close()
  })
})

describeStores('what recordings go when their time is over', (databases) => {
  /** Deletes files that are older than a day, except those that can't be deleted; returns the beginnings of the rest. */
  async function kept(
    entries: readonly FileEntry[],
    canGo: (entry: FileEntry) => boolean,
    isThere: (place: 'local' | 'backup') => boolean = () => true,
  ): Promise<number[]> {
    const { store, log } = openStore(await databases.create())
    const db = store.tables<RecordingTables>('recording', RECORDING_MIGRATIONS)
    const catalogue = new Catalogue({ log, db, database: store })
    for (const entry of entries) catalogue.changed(entry)
    await catalogue.settled()
    const retention = new Retention({
      log,
      catalogue,
      files: {
        hasBackup: false,
        hasRemote: false,
        fullness: undefined,
        usage: () =>
          Promise.resolve({
            usedPercent: 0,
            freeBytes: 1,
          }),
        backUp: () => Promise.resolve(false),
        async delete(entry) {
          if (!canGo(entry)) throw Object.assign(new Error('it can not'), { code: 'EACCES' })
          await catalogue.forget(entry)
          return true
        },
      },
      sections: () => [
        {
          plugin: 'mp4',
          types: ['mp4'],
          section: { recordfileexpiredays: 1 } as RecordConfig,
        },
      ],
      limits: {
        overwritepercent: 0,
        backupoverwritepercent: 0,
      },
      full: () => {},
      isThere,
      alarm: () => {},
    })
    await retention.expire(NOW_MS)
    const rows = await catalogue.db.selectFrom('sluice_recording').select('start_ms').orderBy('start_ms').execute()
    return rows.map(({ start_ms }) => start_ms)
  }

  it('leaves those that can not, and goes on with the others', async () => {
    const entries = Array.from({ length: 50 }, (_, index) => entryAt(index))
    expect(await kept(entries, ({ startMs }) => startMs >= 30)).to.eql(Array.from({ length: 30 }, (_, index) => index))
  })

  it('keeps those in which something was appended since', async () => {
    const newMs = NOW_MS - DAY_MS / 2
    expect(await kept([entryAt(1), entryAt(2, newMs), entryAt(newMs)], () => true)).to.eql([2, newMs])
  })

  it('keeps what lies in a storage that is not there, and has the rest go', async () => {
    for (const [missing, startMs] of [
      ['local', 1],
      ['backup', 2],
    ] as const) {
      const elsewhere = (['backup', 's3'] as const).map((storage, index) => ({ ...entryAt(2 + index), storage }))
      const isThere = (place: string) => place !== missing
      expect(await kept([entryAt(1), ...elsewhere], () => true, isThere)).to.eql([startMs])
    }
  })
})
