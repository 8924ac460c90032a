import { expect } from 'chai'
import { CopiedPlugins } from '../../../test/support/copied-plugins.ts'
import { startServer } from '../../../test/support/server.ts'

describe('a server without relay', () => {
  it('runs, has no pulls and pushes by rules, and says so to whoever asks for them', async () => {
    const { folder } = await CopiedPlugins.of('rtmp', 'proxy')
    const rule = 'rtmp://127.0.0.1:9/live/a'
    const rtmp = { pull: { a: rule }, onsub: { pull: { '.': rule } }, onpub: { push: { '.': rule } } }
    const server = await startServer({ config: JSON.stringify({ rtmp }), pluginFolders: [folder] })
    const post = (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      return server.api(path, { method: 'POST', headers, body: JSON.stringify(body) })
    }
    expect((await fetch(server.http('/readyz'))).status).to.equal(200)
    const push = await post('/rtmp/api/push/live/a', { remoteURL: rule })
    expect([push.status, push.body.message]).to.eql([503, 'the server takes no jobs'])
    expect((await post('/api/stream/pull', { remoteURL: rule })).status).to.equal(404)
    expect((await server.api('/api/summary')).body).to.include({ pullCount: 0, pushCount: 0 })
    expect(server.problems).to.eql([])
  })
})
