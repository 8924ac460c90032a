import { mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { WriteFailure } from '../../plugin/files.ts'
import { LocalStorage } from './local-storage.ts'
import { StorageMissing } from './storage-missing.ts'
import { StorageNotes } from './storage-notes.ts'
import { STORAGE_MARKER } from './storage-root.ts'

describe('a storage whose disk may not be there', () => {
  let folder: string
  let root: string
  let disk: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-storage-'))
    root = path.join(folder, 'recordings')
    disk = path.join(folder, 'disk')
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** As one process after another opens it. */
  const openStorage = (file = root) =>
    new LocalStorage({ root: file, notes: new StorageNotes(path.join(folder, 'data', 'storage.json')) })

  /** As the mount point is seen while nothing is mounted. */
  async function unmount(): Promise<void> {
    await rename(root, disk)
    await mkdir(root)
  }

  async function mount(): Promise<void> {
    await rm(root, { recursive: true })
    await rename(disk, root)
  }

  const missing = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(StorageMissing)
    return error as StorageMissing
  }

  it('is made when it is first written', async () => {
    const storage = openStorage()
    await storage.look()
    expect(await storage.sizeOf('a/b.jpg')).to.equal(undefined)
    await storage.write('a/b.jpg', Buffer.from('x'))
    expect((await readdir(root)).toSorted()).to.eql([STORAGE_MARKER, 'a'])
    expect(await readFile(path.join(root, STORAGE_MARKER), 'utf8')).to.match(/^[\da-f-]{36}$/u)
  })

  it('has nothing made, deleted or taken for gone while it is not there, by the process that used it and by the next', async () => {
    const before = openStorage()
    await before.write('a/b.jpg', Buffer.from('x'))
    await unmount()
    for (const storage of [before, openStorage()]) {
      const other = openStorage(path.join(folder, 'other'))
      await other.write('c.jpg', Buffer.from('x'))
      expect((await missing(storage.look())).advice).to.contain(`${root} has no file ${STORAGE_MARKER}`)
      await missing(storage.sizeOf('a/b.jpg'))
      await missing(storage.read('a/b.jpg'))
      await missing(storage.remove('a/b.jpg'))
      await missing(storage.create('a/c', '.mp4'))
      await missing(storage.write('a/c.jpg', Buffer.from('x')))
      await missing(storage.probe())
      await missing(other.moveTo(storage, 'c.jpg'))
      expect(await other.sizeOf('c.jpg')).to.equal(1)
      expect(await readdir(root)).to.eql([])
    }
    await mount()
    const after = openStorage()
    await after.look()
    expect(await after.sizeOf('a/b.jpg')).to.equal(1)
    await after.remove('gone.jpg')
    await after.remove('a/b.jpg')
    expect(await readdir(root)).to.eql([STORAGE_MARKER])
  })

  it('begins anew where its folder was removed from the disk that it was on', async () => {
    const storage = openStorage()
    await storage.write('a.jpg', Buffer.from('x'))
    await rm(root, { recursive: true })
    for (const one of [storage, openStorage()]) {
      await one.look()
      expect(await one.sizeOf('a.jpg')).to.equal(undefined)
    }
    await storage.write('b.jpg', Buffer.from('x'))
    expect((await readdir(root)).toSorted()).to.eql([STORAGE_MARKER, 'b.jpg'])
  })

  it('is not there where its folder is gone with the disk that it was on', async () => {
    await openStorage().write('a.jpg', Buffer.from('x'))
    await rm(root, { recursive: true })
    const file = path.join(folder, 'data', 'storage.json')
    const notes = JSON.parse(await readFile(file, 'utf8')) as Record<string, { device: number }>
    notes[root]!.device += 1
    await writeFile(file, JSON.stringify(notes))
    await missing(openStorage().look())
    await missing(openStorage().write('b.jpg', Buffer.from('x')))
  })

  it('has no file made that was claimed before it went', async () => {
    const storage = openStorage()
    await storage.probe()
    const claim = async () => {
      await unmount()
      return true
    }
    await missing(storage.create('a', '.mp4', claim))
    expect(await readdir(root)).to.eql([])
  })

  it('is told from another one that is mounted in its place', async () => {
    const other = path.join(folder, 'other')
    await openStorage(other).write('a.jpg', Buffer.from('x'))
    const storage = openStorage()
    await storage.write('a.jpg', Buffer.from('x'))
    await rename(root, disk)
    await rename(other, root)
    expect((await missing(storage.look())).advice).to.contain(`${root} is another storage`)
    await writeFile(path.join(root, STORAGE_MARKER), '')
    await storage.look()
    await storage.remove('a.jpg')
  })

  it('is taken anew where an operator makes an empty marker', async () => {
    await openStorage().write('a.jpg', Buffer.from('x'))
    await rm(root, { recursive: true })
    await mkdir(root)
    await missing(openStorage().look())
    await writeFile(path.join(root, STORAGE_MARKER), '\n')
    await openStorage().look()
    await openStorage().write('b.jpg', Buffer.from('x'))
    await unmount()
    await missing(openStorage().look())
  })

  it('is known from the first look on where it has files of an older version', async () => {
    await mkdir(path.join(root, 'live'), { recursive: true })
    await openStorage().look()
    await unmount()
    await missing(openStorage().look())
  })

  it('is another one in another folder', async () => {
    await openStorage().write('a.jpg', Buffer.from('x'))
    const moved = openStorage(path.join(folder, 'moved'))
    await moved.look()
    await moved.write('a.jpg', Buffer.from('x'))
  })

  it('goes without a marker where what must survive cannot be kept', async () => {
    await writeFile(path.join(folder, 'data'), 'no folder')
    await openStorage().write('a.jpg', Buffer.from('x'))
    expect(await openStorage().sizeOf('a.jpg')).to.equal(1)
  })

  it('tells of what could not be written, with its place', async () => {
    await writeFile(root, 'no folder')
    const storage = openStorage()
    const failures: WriteFailure[] = []
    storage.onFailure((failure) => failures.push(failure))
    await storage.write('a.jpg', Buffer.from('x')).catch((error: Error) => {
      expect(error.message).to.equal("the file can't be written: EEXIST")
    })
    await storage.create('../out', '.mp4').catch(() => {})
    await storage.create('b', '.mp4').catch(() => {})
    expect(failures).to.eql([
      { file: path.join(root, 'a.jpg'), code: 'EEXIST' },
      { file: path.join(root, 'b.mp4'), code: 'EEXIST' },
    ])
  })

  it('that can not be read is not there', async () => {
    await openStorage().write('a.jpg', Buffer.from('x'))
    await rm(path.join(root, STORAGE_MARKER))
    await mkdir(path.join(root, STORAGE_MARKER))
    expect((await missing(openStorage().look())).advice).to.contain('EISDIR')
  })
})
