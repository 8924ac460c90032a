import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { FileBytes } from './recording-bytes.ts'

describe('FileBytes', () => {
  let folder: string
  const errorOf = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    )

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-bytes-'))
    await writeFile(path.join(folder, 'film'), 'a film')
  })
  after(() => rm(folder, { recursive: true }))

  it('gives what there is from a place on', async () => {
    const bytes = await FileBytes.open(path.join(folder, 'film'))
    expect(bytes.sizeBytes).to.equal(6)
    expect(String(await bytes.read(2, 100))).to.equal('film')
    expect(String(await bytes.read(0, 1))).to.equal('a')
    expect(await bytes.read(7, 1)).to.have.length(0)
    await bytes.close()
  })

  it('tells why a file is not read, but not where it lies', async () => {
    const error = await errorOf(FileBytes.open(path.join(folder, 'none')))
    expect(error).to.include({ message: "the file can't be read: ENOENT", code: 'ENOENT' })
    // A folder opens as a file does.
    const opened = await FileBytes.open(folder)
    expect(await errorOf(opened.read(0, 1))).to.include({ message: "the file can't be read: EISDIR", code: 'EISDIR' })
    await opened.close()
  })

  it('reads nothing more once it was told to end', async () => {
    const stop = new AbortController()
    const bytes = await FileBytes.open(path.join(folder, 'film'), stop.signal)
    const reason = new Error('the pull was stopped')
    stop.abort(reason)
    expect(await errorOf(bytes.read(0, 1))).to.equal(reason)
    await bytes.close()
    expect(await errorOf(FileBytes.open(path.join(folder, 'film'), stop.signal))).to.equal(reason)
  })
})
