import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const GLOBAL = 'global:\n  plugins_dir: plugins\n'
const REFUSED = 'the config was not applied; the one before holds'

/** A plugin with one key of its own. */
function plugin(name: string, key: string, version = '1.0.0'): string {
  return `
import { definePlugin, Type } from 'sluice/sdk'

export default definePlugin({
  name: '${name}',
  version: '${version}',
  config: Type.Object({ ${key}: Type.Integer({ default: 1 }) }),
  setup() {},
})
`
}

describe('a plugin and its section of the config', () => {
  let server: RunningServer

  async function start(config: string, code?: string): Promise<void> {
    server = await startServer({
      config: GLOBAL + config,
      prepare: async (folder) => {
        await mkdir(path.join(folder, 'plugins'))
        if (code !== undefined) await writeFile(path.join(folder, 'plugins', 'late.ts'), code)
      },
    })
  }

  const saveCode = (code: string) => writeFile(path.join(server.folder, 'plugins', 'late.ts'), code)
  const saveConfig = (text: string) => server.writeConfig(GLOBAL + text)
  const shown = () => server.server.host.list().find(({ name }) => name === 'late')
  const value = (key: string) => (shown()?.config?.values as Record<string, unknown> | undefined)?.[key]
  const wasLogged = (message: string) =>
    waitFor(() => server.problems.some((problem) => JSON.stringify(problem).includes(message)), { what: message })
  const runs = (version: string, key: string, wanted: number) =>
    waitFor(
      () => {
        const plugin = shown()
        return plugin?.state === 'running' && plugin.version === version && value(key) === wanted
      },
      { what: `version ${version} with ${key} ${wanted}` },
    )

  it('that is wrong: the plugin starts when the section is mended', async () => {
    await start('late:\n  numbr: 5\n')
    await saveCode(plugin('late', 'number'))
    await waitFor(() => shown()?.disableReason?.includes('numbr'), { what: 'it to be refused' })
    await saveConfig('late:\n  number: 5\n')
    await runs('1.0.0', 'number', 5)
  })

  it('that has a key of a plugin without any: what to do is told', async () => {
    await start('late:\n  greeting: hello\n')
    await saveCode("export default { name: 'late', version: '1', setup() {} }")
    const advice = /add `config: Type\.Object\(\{ greeting: … \}\)` to \S+\/plugins\/late\.ts$/u
    await waitFor(() => advice.test(shown()?.disableReason ?? ''), { what: 'the advice' })
  })

  it('whose key has another name in new code: both are taken when the code is saved first', async () => {
    await start('late:\n  third: 5\n', plugin('late', 'third'))
    await saveCode(plugin('late', 'drei', '2.0.0'))
    await wasLogged('late.third: unknown key')
    expect(shown()).to.include({ state: 'running', version: '1.0.0' })
    await saveConfig('late:\n  drei: 6\n')
    await runs('2.0.0', 'drei', 6)
    expect(shown()?.lastError).to.equal(undefined)
  })

  for (const [before, file] of [
    ['the file had it', 'late:\n  third: 5\n'],
    ['it had its default', ''],
  ] as const) {
    it(`whose key has another name in new code: both are taken when the file is saved first, where ${before}`, async () => {
      await start(file, plugin('late', 'third'))
      await saveConfig('late:\n  drei: 6\n')
      await wasLogged(REFUSED)
      await saveCode(plugin('late', 'drei', '2.0.0'))
      await runs('2.0.0', 'drei', 6)
      await waitFor(() => shown()?.lastError === undefined)
    })
  }
})

describe('a config with an HTTP address that is taken', () => {
  it('changes nothing, and is taken as a whole when the address is free and it is saved again', async () => {
    const server = await startServer({ config: 'global:\n  publish:\n    key: old\n' })
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const closed = once(other, 'close')
    const { port } = other.address() as AddressInfo
    const text = `global:\n  publish:\n    key: new\n  http:\n    listenaddrtls: 127.0.0.1:${port}\n`
    const keys = () => server.server.host.list().map(({ config }) => config?.values.publish.key)
    const secret = async () =>
      (await server.api('/v6/api/streams/secret?stream_path=live/test&type=publish&expire=ffffffff')).body
    const before = await secret()
    try {
      await server.writeConfig(text)
      await waitFor(() => server.problems.some(({ msg }) => msg === REFUSED), { what: 'the refusal' })
    } finally {
      other.close()
    }
    expect(new Set(keys())).to.deep.equal(new Set(['old']))
    expect(await secret()).to.deep.equal(before)

    await closed
    await server.writeConfig(`${text}# again\n`)
    await waitFor(() => keys().every((key) => key === 'new'), { what: 'the new key' })
    expect(server.httpsPort).to.equal(port)
    expect(await secret()).not.to.deep.equal(before)
  })
})
