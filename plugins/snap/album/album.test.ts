import { expect } from 'chai'
import type { Files } from 'sluice/sdk'
import { createFakeHost } from 'sluice/sdk/testing'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import snap from '../index.ts'
import { Album, PICTURE_MODE } from './album.ts'
import type { Tables } from './tables.ts'

const AT_MS = Date.UTC(2026, 0, 2, 15, 4, 5, 7)

describe('Album', () => {
  async function start() {
    const host = await createFakeHost(snap)
    keep({ close: () => host.dispose() })
    const db = host.ctx.store<Tables>()
    const album = new Album(host.ctx.files, db)
    const put = (streamPath: string, text: string, folder = 's', atMs = AT_MS) =>
      album.keep({ streamPath, atMs, mode: PICTURE_MODE.manual, folder, jpeg: Buffer.from(text) })
    const newest = async (streamPath: string) => (await album.newest(streamPath, AT_MS, AT_MS))?.toString()
    return { host, db, album, put, newest }
  }

  it('lets no picture take the place of another of the same name', async () => {
    const { put, newest } = await start()
    const name = 's/a_b_20260102150405.007'
    expect(await put('a/b', 'one')).to.equal(`${name}.jpg`)
    expect(await put('a_b', 'other', './s//')).to.equal(`${name}-2.jpg`)
    expect([await newest('a/b'), await newest('a_b')]).to.eql(['one', 'other'])
    expect(await put('a/b', 'again')).to.equal(`${name}-3.jpg`)
    expect(await newest('a/b')).to.equal('again')
  })

  it('notes nothing of a picture that could not be written', async () => {
    const { db, put } = await start()
    for (const folder of ['../s', '/s', 'a:b']) {
      const error = await put('a/b', 'x', folder).catch((failure: unknown) => failure)
      expect(error, folder).to.have.property('statusCode', 400)
    }
    expect(await db.selectFrom('snap_picture').selectAll().execute()).to.eql([])
  })

  it('passes over a picture that is being written, unless it is asked for that one: it waits then', async () => {
    const { host, db, put } = await start()
    await put('a/b', 'before')
    const { promise: disk, resolve } = Promise.withResolvers<void>()
    const { files } = host.ctx
    const slow: Files = {
      ...files,
      async write(path, bytes) {
        await disk
        await files.write(path, bytes)
      },
    }
    const album = new Album(slow, db)
    const picture = { streamPath: 'a/b', atMs: AT_MS, mode: PICTURE_MODE.manual, folder: 's' }
    const keeping = ['one', 'two'].map((text) => album.keep({ ...picture, jpeg: Buffer.from(text) }))
    const rows = async () => (await db.selectFrom('snap_picture').selectAll().execute()).length
    await waitFor(async () => (await rows()) === 3, { what: 'their rows' })
    expect((await album.newest('a/b', AT_MS, AT_MS))?.toString()).to.equal('before')
    const name = 's/a_b_20260102150405.007'
    const read = album.read(`${name}-2.jpg`)
    const removed = album.remove(`${name}-3.jpg`)
    resolve()
    expect((await read)?.toString()).to.be.oneOf(['one', 'two'])
    expect(await Promise.all(keeping)).to.have.members([`${name}-2.jpg`, `${name}-3.jpg`])
    expect((await album.newest('a/b', AT_MS, AT_MS))?.toString()).to.be.oneOf(['one', 'two'])
    await removed
    expect(await files.read(`${name}-3.jpg`).catch(({ code }: { code: string }) => code)).to.equal('ENOENT')
    expect(await rows()).to.equal(2)
  })

  it('keeps nothing while the database is away', async () => {
    const { host, put } = await start()
    host.store!.isAway = true
    expect(await put('a/b', 'x').catch((failure: unknown) => failure)).to.have.property('code', 'NO_DB')
    expect(await host.files.read('s/a_b_20260102150405.007.jpg').catch(({ code }: { code: string }) => code)).to.equal(
      'ENOENT',
    )
  })
})
