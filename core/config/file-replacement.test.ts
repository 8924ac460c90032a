import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { SluiceError } from 'sluice/sdk'
import { backUp, replaceFile } from './file-replacement.ts'

describe('the replacement of a file', () => {
  let folder: string
  let file: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-file-'))
    file = path.join(folder, 'config.yaml')
    await writeFile(file, 'before')
  })
  afterEach(() => rm(folder, { recursive: true }))

  const backups = async () => (await readdir(folder)).filter((name) => name.includes('.bak.'))

  it('keeps its mode and owner, and a backup, and leaves nothing else', async () => {
    await chmod(file, 0o664)
    const { uid, gid, ino } = await stat(file)
    await replaceFile(file, 'after')
    const now = await stat(file)
    expect(now).to.include({ uid, gid })
    expect(now.mode & 0o777).to.equal(0o664)
    expect(now.ino, 'another file took its name').not.to.equal(ino)
    const [backup = '', ...others] = await backups()
    expect(others).to.eql([])
    expect(backup).to.match(/^config\.yaml\.bak\.20\d{12}$/u)
    expect(await readFile(path.join(folder, backup), 'utf8')).to.equal('before')
    expect(await readdir(folder)).to.have.members(['config.yaml', backup])
  })

  it('goes through a link, which stays one', async () => {
    const link = path.join(folder, 'link.yaml')
    await symlink(file, link)
    await replaceFile(link, 'after')
    expect(await readFile(file, 'utf8')).to.equal('after')
    expect(await readFile(link, 'utf8')).to.equal('after')
  })

  it('says why it can not be done, and leaves the file as it was', async () => {
    const missing = path.join(folder, 'none', 'config.yaml')
    const failure = await replaceFile(missing, 'after').then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).to.be.instanceOf(SluiceError).and.have.property('message').that.includes('(ENOENT)')
    expect(await readFile(file, 'utf8')).to.equal('before')
  })

  it('keeps the newest ten backups, each of another text', async () => {
    for (let round = 0; round < 13; round++) {
      await writeFile(file, `text ${round}`)
      await backUp(file)
      await backUp(file)
    }
    const names = (await backups()).toSorted()
    const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
    expect(texts).to.eql(Array.from({ length: 10 }, (_, index) => `text ${index + 3}`))
  })

  it('deletes no files that are no backups of its own', async () => {
    for (const name of ['config.yaml.bak.1', 'config.yaml.bak.mine', 'other.yaml.bak.20200101000000']) {
      await writeFile(path.join(folder, name), '')
    }
    for (let round = 0; round < 12; round++) await replaceFile(file, `text ${round}`)
    expect(await backups()).to.have.length(13)
  })
})
