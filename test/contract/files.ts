import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Files } from 'sluice/sdk'
import type { StartContractHost } from './contract-host.ts'

const WAYS_OUT = ['../out', 'a/../../out', '/etc/out', 'C:\\out', 'a\\..\\out', 'a\u0000b', '', '.', 'x'.repeat(300)]

export function describeFiles(start: StartContractHost): void {
  describe('files', () => {
    it('are written as a whole, and read', async () => {
      const { files } = (await start()).ctx
      await files.write('contract/a/one.jpg', Buffer.from('first'))
      await files.write('contract/./a//one.jpg', Buffer.from('second one'))
      expect(await textOf(files, 'contract/a/one.jpg')).to.equal('second one')
      const bytes = await files.read('contract/a/one.jpg')
      expect([bytes.sizeBytes, (await bytes.read(7, 100)).toString()]).to.eql([10, 'one'])
      await bytes.close()
    })

    it('are gone when they are removed, more than once too', async () => {
      const { files } = (await start()).ctx
      await files.write('contract/b/two.jpg', Buffer.from('two'))
      await files.write('contract/three.jpg', Buffer.from('three'))
      for (let times = 0; times < 2; times++) await files.remove('contract/b/two.jpg')
      expect(await rejection(files.read('contract/b/two.jpg'))).to.have.property('code', 'ENOENT')
      // Its folder has gone with it, and so the name is free.
      await files.write('contract/b', Buffer.from('a file'))
      expect(await textOf(files, 'contract/three.jpg')).to.equal('three')
    })

    it('lie where other programs find them', async () => {
      const { files } = (await start()).ctx
      await files.write('contract/for-others.txt', Buffer.from('here'))
      expect(await readFile(files.pathOf('contract/for-others.txt'), 'utf8')).to.equal('here')
      expect(() => files.pathOf('../out'))
        .to.throw()
        .with.property('statusCode', 400)
    })

    it('never lie outside of the root', async () => {
      const { files } = (await start()).ctx
      for (const path of WAYS_OUT) {
        expect(await rejection(files.write(path, Buffer.from('x'))), path).to.have.property('statusCode', 400)
      }
      for (const path of WAYS_OUT.filter((way) => way.length > 1)) {
        expect(await rejection(files.read(path)), path).to.have.property('statusCode', 400)
        expect(await rejection(files.remove(path)), path).to.have.property('statusCode', 400)
      }
    })

    it('say what the system says, without a path', async () => {
      const { files } = (await start()).ctx
      await files.write('contract/file', Buffer.from('x'))
      const error = await rejection(files.write('contract/file/below', Buffer.from('x')))
      expect(error)
        .to.have.property('message')
        .that.matches(/^the file can't be written: E[A-Z]+$/u)
      expect(await rejection(files.read('contract/none'))).to.have.property('message', "the file can't be read: ENOENT")
    })

    it('are written piece by piece, under a name that is free, and gone on with', async () => {
      const { files } = (await start()).ctx
      await files.write('contract/piece.txt', Buffer.from('taken'))
      const claims: string[] = []
      const { filePath, writer } = await files.create('contract/piece', '.txt', async (path) => {
        claims.push(path)
        return path !== 'contract/piece-2.txt'
      })
      expect([filePath, claims]).to.eql(['contract/piece-3.txt', ['contract/piece-2.txt', 'contract/piece-3.txt']])
      void writer.append([Buffer.from('one '), Buffer.from('two ')])
      void writer.append([Buffer.from('three')])
      await writer.close([{ offset: 4, data: Buffer.from('TWO') }])
      expect([writer.error, writer.sizeBytes, await files.sizeOf(filePath)]).to.eql([undefined, 13, 13])
      expect(await textOf(files, filePath)).to.equal('one TWO three')
      const further = await files.extend(filePath, 8)
      void further.append([Buffer.from('four')])
      await further.close()
      expect(await textOf(files, filePath)).to.equal('one TWO four')
      expect(await files.sizeOf('contract/none.txt')).to.equal(undefined)
      expect((await files.usage()).freeBytes).to.be.greaterThan(0)
    })

    it('tell of those that could not be made, until the listener goes', async () => {
      const { files } = (await start()).ctx
      const failures: string[] = []
      const stop = files.onFailure(({ code }) => failures.push(code))
      await files.write('contract/file', Buffer.from('x'))
      await rejection(files.create('contract/file/below', '.txt'))
      stop()
      await rejection(files.create('contract/file/below', '.txt'))
      expect(failures).to.eql(['ENOTDIR'])
    })

    it('have no backup where none is configured', async () => {
      const { files } = (await start()).ctx
      expect(files.backup).to.equal(undefined)
      expect(await rejection(files.moveToBackup('contract/a'))).to.have.property('message', 'there is no backup')
    })

    it('have an end of reading when the signal aborts', async () => {
      const { files } = (await start()).ctx
      await files.write('contract/read', Buffer.from('x'))
      const control = new AbortController()
      const bytes = await files.read('contract/read', control.signal)
      control.abort(new Error('enough'))
      expect(await rejection(bytes.read(0, 1))).to.have.property('message', 'enough')
      await bytes.close()
    })

    it('are there for the next generation, and not for one that is gone', async () => {
      const host = await start()
      const former = host.ctx
      await former.files.write('contract/kept', Buffer.from('kept'))
      await host.replace()
      expect(await textOf(host.ctx.files, 'contract/kept')).to.equal('kept')
      await host.unload()
      const late = await rejection(former.files.write('contract/late', Buffer.from('x')))
      expect(late).to.have.property('message', "plugin 'contract' is unloaded")
    })
  })
}

async function textOf(files: Files, path: string): Promise<string> {
  const bytes = await files.read(path)
  try {
    return (await bytes.read(0, bytes.sizeBytes)).toString()
  } finally {
    await bytes.close()
  }
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not reject')
}
