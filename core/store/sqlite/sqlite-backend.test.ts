import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { keep } from '../../../test/peers/lifetime.ts'
import { SqliteBackend } from './sqlite-backend.ts'

describe('SqliteBackend', () => {
  it('has ended with its file when it is closed, even while it is opened', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    keep({ close: () => rm(folder, { recursive: true }) })
    const backend = new SqliteBackend(path.join(folder, 'a.db'))
    const opening = backend.open(() => undefined)
    await backend.close()
    expect(await readdir(folder)).to.eql(['a.db'])
    await opening
  })
})
