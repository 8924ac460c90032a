import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { keep } from '../../../test/peers/lifetime.ts'
import { startServer } from '../../../test/support/server.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

describe('a server without recordings', () => {
  it('runs, and says so to whoever asks for them', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-plugins-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    const plugins = path.join(folder, 'plugins')
    await mkdir(plugins)
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
    for (const name of ['mp4', 'crontab']) {
      await cp(path.join(ROOT, 'plugins', name), path.join(plugins, name), { recursive: true })
    }
    const server = await startServer({
      config: JSON.stringify({ mp4: { onpub: { record: { '^live/': { filepath: 'rule' } } } } }),
      pluginFolders: [plugins],
    })
    expect((await fetch(server.http('/readyz'))).status).to.equal(200)
    const start = await server.api('/mp4/api/start/live/a', { method: 'POST', body: '{}' })
    expect([start.status, start.body.message]).to.eql([503, 'the server records nothing'])
    expect((await server.api('/api/record/mp4/list')).status).to.equal(404)
    expect((await server.api('/api/summary')).body['recordCount']).to.equal(0)
    expect(server.records.filter(({ msg }) => /record/u.test(msg))).to.eql([])
    expect(server.problems).to.eql([])
  })
})
