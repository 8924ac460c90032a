import { expect } from 'chai'
import type { RecordConfig } from 'sluice/sdk'
import { describeStores, openStore } from '../../test/support/stores.ts'
import { Catalogue } from './catalogue.ts'
import type { RecordingEntry } from './recording-entry.ts'
import { Retention } from './retention.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW_MS = 100 * DAY_MS

function entryAt(startMs: number, createdMs = startMs): RecordingEntry {
  return {
    id: 0,
    type: 'mp4',
    streamPath: 'live/a',
    filePath: `${startMs}.mp4`,
    startMs,
    endMs: startMs + 1e3,
    mode: 'auto',
    event: undefined,
    videoCodec: 'h264',
    audioCodec: '',
    isActive: false,
    createdMs,
    headBytes: 10,
    cutsMs: [],
    clockMs: 0,
    storage: 'local',
    sizeBytes: 100,
  }
}

describeStores('what recordings go when their time is over', (databases) => {
  /** Has what is older than a day go, but for files that can't; returns the beginnings of those that are left. */
  async function kept(
    entries: readonly RecordingEntry[],
    canGo: (entry: RecordingEntry) => boolean,
    isThere: (place: 'local' | 'backup') => boolean = () => true,
  ): Promise<number[]> {
    const { store, log } = openStore(await databases.create())
    const catalogue = new Catalogue({ log, store })
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
      limits: () => ({
        overwritepercent: 0,
        backupoverwritepercent: 0,
      }),
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
