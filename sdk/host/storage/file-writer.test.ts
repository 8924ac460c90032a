import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { WorkQueue } from '../../plugin/work-queue.ts'
import { StoredFileWriter, type WritableFile } from './file-writer.ts'

describe('StoredFileWriter', () => {
  let folder: string
  let name: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    name = path.join(folder, 'file')
  })
  afterEach(() => rm(folder, { recursive: true }))

  const text = (...texts: string[]) => texts.map((each) => Buffer.from(each))
  const newQueue = () => new WorkQueue({ working: 2 })

  /** A real file, some of whose functions are others. */
  async function file(changes: (real: WritableFile) => Partial<WritableFile> = () => ({})): Promise<WritableFile> {
    const real = await open(name, 'wx')
    const whole: WritableFile = {
      writev: ((buffers: Buffer[], position: number) => real.writev(buffers, position)) as WritableFile['writev'],
      write: ((...args: Parameters<typeof real.write>) => real.write(...args)) as WritableFile['write'],
      truncate: (sizeBytes) => real.truncate(sizeBytes),
      datasync: () => real.datasync(),
      close: () => real.close(),
    }
    return { ...whole, ...changes(whole) }
  }

  it('writes pieces in their order, then what takes the place of other bytes', async () => {
    const writer = new StoredFileWriter(await file(), newQueue())
    expect(writer.append(text('ab', 'cd'))).to.equal(undefined)
    for (let count = 0; count < 3000; count++) void writer.append(text('.'))
    void writer.append(Array.from({ length: 3000 }, () => Buffer.from('x')))
    expect(writer.endBytes).to.equal(6004)
    await writer.close([{ offset: 1, data: Buffer.from('BC') }])
    expect(await readFile(name, 'utf8')).to.equal(`aBCd${'.'.repeat(3000)}${'x'.repeat(3000)}`)
    expect([writer.sizeBytes, writer.error]).to.eql([6004, undefined])
  })

  it('goes on where the system has written a part', async () => {
    const part = (real: WritableFile) => ({
      writev: (async (buffers: Buffer[], position: number) =>
        real.writev([Buffer.concat(buffers).subarray(0, 3)], position)) as WritableFile['writev'],
    })
    const writer = new StoredFileWriter(await file(part), newQueue())
    void writer.append(text('abcd', 'efgh', 'ij'))
    await writer.close()
    expect(await readFile(name, 'utf8')).to.equal('abcdefghij')
  })

  it('is cut to its whole pieces by an error, which it keeps', async () => {
    let writes = 0
    const full = (real: WritableFile) => ({
      writev: (async (buffers: Buffer[], position: number) => {
        writes += 1
        if (writes === 1) return real.writev(buffers, position)
        await real.writev([Buffer.concat(buffers).subarray(0, 2)], position)
        throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
      }) as WritableFile['writev'],
    })
    const writer = new StoredFileWriter(await file(full), newQueue())
    void writer.append(text('whole'))
    await new Promise((resolve) => setImmediate(resolve))
    void writer.append(text('lost'))
    await writer.close([{ offset: 0, data: Buffer.from('X') }])
    expect(writer.append(text('later'))).to.equal(undefined)
    expect(await readFile(name, 'utf8')).to.equal('whole')
    expect(writer.error).to.include({ code: 'ENOSPC' })
    expect(writer.sizeBytes).to.equal(5)
  })

  it('has whoever writes wait while too much is not written, and then go on', async () => {
    const gate = Promise.withResolvers<void>()
    const slow = (real: WritableFile) => ({
      writev: (async (buffers: Buffer[], position: number) => {
        await gate.promise
        return real.writev(buffers, position)
      }) as WritableFile['writev'],
    })
    const writer = new StoredFileWriter(await file(slow), newQueue())
    const megabyte = [Buffer.alloc(1024 * 1024)]
    const waits = Array.from({ length: 6 }, () => writer.append(megabyte))
    expect(waits.map((wait) => wait !== undefined)).to.eql([false, false, false, false, true, true])
    gate.resolve()
    await Promise.all(waits.map(async (wait) => wait))
    expect(writer.sizeBytes).to.equal(6 * 1024 * 1024)
    await writer.close()
  })

  it('shares its turns: of three that hang two are under way', async () => {
    const shared = newQueue()
    let running = 0
    const gate = Promise.withResolvers<void>()
    const works = Array.from({ length: 3 }, () =>
      shared.run(async () => {
        running += 1
        await gate.promise
      }),
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(running).to.equal(2)
    gate.resolve()
    await Promise.all(works)
    expect(running).to.equal(3)
  })
})
