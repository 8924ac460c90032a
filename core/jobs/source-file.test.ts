import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { findSourceFile, namesFile } from './source-file.ts'

describe('a local file as a source', () => {
  let folder: string
  let media: string
  before(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'sluice-files-')))
    media = path.join(folder, 'media')
    await mkdir(path.join(media, 'sub'), { recursive: true })
    await mkdir(path.join(folder, 'media2'))
    for (const file of ['media/a.mp4', 'media/sub/b b.mp4', 'secret.mp4', 'media2/c.mp4']) {
      await writeFile(path.join(folder, file), '')
    }
    await symlink(path.join(folder, 'secret.mp4'), path.join(media, 'link.mp4'))
    await symlink(path.join(media, 'a.mp4'), path.join(media, 'inner.mp4'))
  })
  after(() => rm(folder, { recursive: true }))

  it('is told by its ending, and by having no scheme of another kind', () => {
    const named = [
      'a.mp4',
      '/x/A.MP4',
      'file:a.mp4',
      'file:///x/a.mp4',
      'http://h/a.mp4',
      'a.flv',
      'live/a',
      'C:/a.mp4',
    ]
    expect(named.map((url) => namesFile(url, ['.mp4']))).to.eql([true, true, true, true, false, false, false, false])
  })

  it('is found by a relative path, an absolute one and an address', async () => {
    const file = path.join(media, 'sub', 'b b.mp4')
    for (const url of ['sub/b b.mp4', 'file:sub/b b.mp4', file, pathToFileURL(file).href]) {
      expect(await findSourceFile(url, [path.join(folder, 'none'), media]), url).to.equal(file)
    }
    expect(await findSourceFile('inner.mp4', [media])).to.equal(path.join(media, 'a.mp4'))
  })

  const OUTSIDE = [
    '../secret.mp4',
    'sub/../../secret.mp4',
    'link.mp4',
    'none.mp4',
    'sub',
    '../media2/c.mp4',
    'a.mp4\0.mp4',
  ]
  for (const url of OUTSIDE) {
    it(`is none where ${JSON.stringify(url)} leads out of the folders, or to none`, async () => {
      const error = await findSourceFile(url, [media]).catch((reason: Error) => reason)
      expect(error).to.be.an('error')
      expect((error as Error).message).to.match(/no such file in the folders of global\.pull\.folders/u)
    })
  }

  it('is none outside by its absolute path, and none without folders', async () => {
    const secret = path.join(folder, 'secret.mp4')
    expect(await findSourceFile(secret, [media]).catch(() => 'none')).to.equal('none')
    expect(await findSourceFile(secret, []).catch(() => 'none')).to.equal('none')
  })
})
