import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { StreamUnavailable, type Recording, type RecordService } from 'sluice/sdk'
import { keep } from '../../test/peers/lifetime.ts'
import { describeStores, openStore } from '../../test/support/stores.ts'
import { LocalStorage } from '../storage/local-storage.ts'
import { Catalogue } from './catalogue.ts'
import type { RecordingEntry } from './recording-entry.ts'
import { RecordingFiles } from './recording-files.ts'
import { Recovery } from './recovery.ts'

const HEAD_BYTES = 10
const SIZE_BYTES = 100
const FILE = 'a.mp4'

/** How a file is read: how much of it is whole, and how long that is. */
type Reading = Pick<RecordService, 'open'> & Required<Pick<RecordService, 'wholeSizeBytes'>>

const readable = (wholeBytes: number): Reading => ({
  wholeSizeBytes: () => Promise.resolve(wholeBytes),
  open: ({ sizeBytes }) => Promise.resolve({ durationMs: sizeBytes * 10 } as Recording),
})
const failing = (reason: Error): Reading => ({ ...readable(0), wholeSizeBytes: () => Promise.reject(reason) })

describeStores('recovery of recordings', (databases) => {
  /** Has a file that was not finished be looked at, and tells what has become of it. */
  async function recovered(reading: Reading | undefined, sizeOnDiskBytes = SIZE_BYTES) {
    const root = await mkdtemp(path.join(tmpdir(), 'sluice-recovery-'))
    keep({ close: () => rm(root, { recursive: true, force: true }) })
    await writeFile(path.join(root, FILE), '')
    await truncate(path.join(root, FILE), sizeOnDiskBytes)
    const { store, log } = openStore(await databases.create())
    const local = new LocalStorage({ root })
    const before = new Catalogue({ log, store })
    const entry: RecordingEntry = {
      ...{ id: 0, type: 'mp4', streamPath: 'live/a', filePath: FILE, startMs: 5000, endMs: 5000, sizeBytes: 0 },
      ...{ mode: 'auto', event: undefined, videoCodec: 'h264', audioCodec: '', isActive: true, createdMs: 5000 },
      ...{ headBytes: HEAD_BYTES, cutsMs: [], storage: 'local' },
    }
    before.begin(entry)
    await before.settled()
    const catalogue = new Catalogue({ log, store })
    const files = new RecordingFiles({ log, catalogue, local, backup: undefined, remote: undefined })
    const recovery = new Recovery({ log, catalogue, files, service: () => reading as RecordService | undefined })
    expect(await recovery.recover('mp4', 6000)).to.equal(true)
    await catalogue.settled()
    const rows = await catalogue.db.selectFrom('sluice_recording').selectAll().execute()
    const [sizeBytes] = await Promise.all(
      (await readdir(root)).map(async (name) => (await stat(path.join(root, name))).size),
    )
    return { sizeBytes, rows: rows.map((row) => ({ isActive: row.is_active, endMs: row.end_ms })) }
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
})
