import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const config = (authTimeout: string) => `
global:
  plugins_dir: plugins
  enableauth: true
  auth_timeout: ${authTimeout}
  publish:
    key: any-key-turns-the-check-on
`

/** A plugin that lets publishers in by its own name; its setup takes some time. */
const guard = (name: string, setupMs: number, requires = '') => `
import { setTimeout } from 'node:timers/promises'
export default {
  name: '${name}', version: '1', requires: [${requires}],
  async setup(ctx) {
    await setTimeout(${setupMs})
    ctx.streams.setStreamAuthHandler(({ params }) => params['word'] === '${name}')
  },
}
`

/** A plugin that offers a service and shows it. */
const catalog = (version: string, setup = '') => `
export default {
  name: 'catalog', version: '${version}', provides: ['catalog'],
  setup(ctx) {
    ctx.services.provide('catalog', '${version}')
    ctx.http.get('/offered', () => ({ offered: ctx.services.get('catalog') ?? 'nothing' }))
    ${setup}
  },
}
`

type Info = { readonly name: string; readonly description: Readonly<Record<string, string>> }

describe('what plugins have set, when they are loaded anew', () => {
  function start(files: Readonly<Record<string, string>>): Promise<RunningServer> {
    const prepare = async (folder: string) => {
      await mkdir(path.join(folder, 'plugins'))
      for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, 'plugins', name), text)
    }
    return startServer({ config: config('5s'), prepare })
  }

  async function described(server: RunningServer, name: string): Promise<Info['description']> {
    const { plugins } = (await server.api('/api/sysinfo')).body.data as { plugins: Info[] }
    return plugins.find((plugin) => plugin.name === name)?.description ?? {}
  }

  async function isAdmitted(server: RunningServer, word: string): Promise<boolean> {
    const client = await RtmpClient.connect({ url: server.rtmp(`live/one?word=${word}`) })
    client.tell('publish', `one?word=${word}`, 'live')
    const admitted = await client.isTold('NetStream.Publish.Start')
    client.close()
    return admitted
  }

  it('asks the same auth handler after a change of the config as before', async () => {
    const server = await start({ 'first.mjs': guard('first', 100), 'second.mjs': guard('second', 0, "'first'") })
    const asked = async () => [await isAdmitted(server, 'first'), await isAdmitted(server, 'second')]
    expect(await asked()).to.eql([false, true])
    await server.writeConfig(config('6s'))
    for (const name of ['first', 'second']) {
      await waitFor(async () => (await described(server, name))['generation'] === '2', { what: `${name} to be back` })
    }
    expect(await asked()).to.eql([false, true])
  })

  it('goes on offering a service whose next version fails as it takes over', async () => {
    const server = await start({ 'catalog.mjs': catalog('1') })
    const offered = async () =>
      ((await (await fetch(server.http('/catalog/offered'))).json()) as { offered: string }).offered
    const save = (text: string) => writeFile(path.join(server.folder, 'plugins', 'catalog.mjs'), text)
    expect(await offered()).to.equal('1')
    await save(catalog('2', 'ctx.streams.setStreamAuthHandler(42)'))
    const failed = async () => (await described(server, 'catalog'))['lastError'] !== undefined
    await waitFor(failed, { what: 'the second version to fail' })
    expect(await offered()).to.equal('1')
    await save(catalog('3'))
    await waitFor(async () => (await offered()) === '3', { what: 'the third version' })
  })
})
