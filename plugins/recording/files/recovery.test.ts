import { mkdir, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { StreamUnavailable, type Recording, type RecordService } from 'sluice/sdk'
import { keep } from '../../../test/peers/lifetime.ts'
import { describeStores, openStore } from '../../../test/support/stores.ts'
import { FakeFiles } from 'sluice/sdk/testing'
import { Catalogue } from '../catalogue/catalogue.ts'
import { fileEntry } from '../fixtures/file-entry.ts'
import { RECORDING_MIGRATIONS, type RecordingTables } from '../catalogue/recording-tables.ts'
import { StoredFiles } from './stored-files.ts'
import { Recovery } from './recovery.ts'

const HEAD_BYTES = 10
const SIZE_BYTES = 100
const FILE = 'a.mp4'
/** The host marks the folder of a storage by a file. */
const STORAGE_MARKER = '.sluice-storage'

/** The functions that read a file: its complete part, and the duration of that. */
type Reading = Pick<RecordService, 'open'> & Required<Pick<RecordService, 'wholeSizeBytes'>>

const readable = (wholeBytes: number): Reading => ({
  wholeSizeBytes: () => Promise.resolve(wholeBytes),
  open: ({ sizeBytes }) => Promise.resolve({ durationMs: sizeBytes * 10 } as Recording),
})
const failing = (reason: Error): Reading => ({ ...readable(0), wholeSizeBytes: () => Promise.reject(reason) })

describeStores('recovery of recordings', (databases) => {
  /** A file that was not finished. */
  async function unfinished(reading: Reading | undefined, { sizeBytes = SIZE_BYTES, createdMs = 5000 } = {}) {
    const local = new FakeFiles()
    const { root } = local
    keep({ close: () => local.dispose() })
    await mkdir(root)
    await writeFile(path.join(root, FILE), '')
    await truncate(path.join(root, FILE), sizeBytes)
    const { store, log } = openStore(await databases.create())
    const db = store.tables<RecordingTables>('recording', RECORDING_MIGRATIONS)
    const before = new Catalogue({ log, db, database: store })
    const entry = fileEntry({
      filePath: FILE,
      startMs: 5e3,
      endMs: 5e3,
      sizeBytes: 0,
      isActive: true,
      createdMs,
      headBytes: HEAD_BYTES,
    })
    before.begin(entry)
    await before.settled()
    const catalogue = new Catalogue({ log, db, database: store })
    const storage = local.lend(
      () => {},
      () => {},
    )
    const files = new StoredFiles({ log, catalogue, storage, remote: undefined })
    const recovery = new Recovery({ log, catalogue, files, service: () => reading as RecordService | undefined })
    async function rows() {
      await catalogue.settled()
      const stored = await catalogue.db.selectFrom('sluice_recording').selectAll().execute()
      return stored.map((row) => ({ isActive: row.is_active, endMs: row.end_ms }))
    }
    return { root, local, rows, recover: () => recovery.recover('mp4', 6000) }
  }

  /** Recovers an unfinished file, and returns what has become of it. */
  async function recovered(reading: Reading | undefined, sizeOnDiskBytes = SIZE_BYTES) {
    const { root, recover, rows } = await unfinished(reading, { sizeBytes: sizeOnDiskBytes })
    expect(await recover()).to.equal(true)
    const left = await rows()
    const names = (await readdir(root)).filter((name) => name !== STORAGE_MARKER)
    const [sizeBytes] = await Promise.all(names.map(async (name) => (await stat(path.join(root, name))).size))
    return { sizeBytes, rows: left }
  }

  it('cuts off what is not whole', async () => {
    expect(await recovered(readable(60))).to.eql({ sizeBytes: 60, rows: [{ isActive: 0, endMs: 5600 }] })
  })

  it('deletes a file without media', async () => {
    expect(await recovered(readable(HEAD_BYTES))).to.eql({ sizeBytes: undefined, rows: [] })
  })

  it('leaves what nothing can read at present as it is, for the next start', async () => {
    const asItWas = { sizeBytes: SIZE_BYTES, rows: [{ isActive: 1, endMs: 5000 }] }
    expect(await recovered(undefined)).to.eql(asItWas)
    expect(await recovered(failing(new StreamUnavailable('its plugin does not run')))).to.eql(asItWas)
    expect(await recovered(failing(Object.assign(new Error('no'), { code: 'EIO' })))).to.eql(asItWas)
  })

  it('keeps a damaged file', async () => {
    const kept = { sizeBytes: SIZE_BYTES, rows: [{ isActive: 0, endMs: 5000 }] }
    expect(await recovered(failing(new Error('it is no MP4')))).to.eql(kept)
    const sizeBytes = 20 * 1024 * 1024
    expect(await recovered(readable(HEAD_BYTES), sizeBytes)).to.eql({ ...kept, sizeBytes })
  })

  it('leaves files alone whose storage is not there, and mends them when it is', async () => {
    const { root, local, recover, rows } = await unfinished(readable(60))
    await local.probe()
    await rename(root, `${root}-disk`)
    await mkdir(root)
    expect(await recover()).to.equal(false)
    expect(await rows()).to.eql([{ isActive: 1, endMs: 5000 }])
    await rm(root, { recursive: true })
    await rename(`${root}-disk`, root)
    expect(await recover()).to.equal(true)
    expect(await rows()).to.eql([{ isActive: 0, endMs: 5600 }])
  })

  it('forgets a file that is missing where the others are', async () => {
    const { root, local, recover, rows } = await unfinished(readable(60))
    await local.probe()
    await rm(path.join(root, FILE))
    expect(await recover()).to.equal(true)
    expect(await rows()).to.eql([])
  })

  it('mends what was begun by a clock that has been set back since', async () => {
    const { recover, rows } = await unfinished(readable(60), { createdMs: Date.now() + 3_600_000 })
    expect(await recover()).to.equal(true)
    expect(await rows()).to.eql([{ isActive: 0, endMs: 5600 }])
  })
})
