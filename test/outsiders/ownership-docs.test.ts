import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { startServer, type RunningServer } from '../support/server.ts'

describe('the plugins of docs/plugins/ownership.md', () => {
  let running: RunningServer
  let code: Readonly<Record<string, string>>
  beforeEach(async () => {
    const block = await blocksOf('docs/plugins/ownership.md', 'ts')
    code = { ingest: block("name: 'ingest'"), counter: block("name: 'counter'") }
    running = await startServer({
      config: 'global: { plugins_dir: plugins }\n',
      prepare: async (folder) => {
        await mkdir(path.join(folder, 'plugins'))
        for (const name of Object.keys(code)) await write(folder, name, '')
      },
    })
  })

  const write = (folder: string, name: string, more: string) =>
    writeFile(path.join(folder, 'plugins', `${name}.ts`), `${code[name]}${more}`)
  const ask = (location: string, method: string) => fetch(running.http(location), { method })

  async function reload(name: string, generation: number): Promise<void> {
    await write(running.folder, name, `// ${generation}\n`)
    const text = `generation ${generation} took over`
    await waitFor(() => running.records.some(({ plugin, msg }) => plugin === name && msg.startsWith(text)), {
      what: text,
    })
  }

  it('end a session by its address after two reloads, and count over reloads', async () => {
    const made = await ask('/ingest/live/a', 'POST')
    expect(made.status).to.equal(201)
    const location = made.headers.get('location') ?? ''
    for (const generation of [2, 3]) await reload('ingest', generation)
    expect(running.server.streams.get('live/a')).not.to.equal(undefined)

    await reload('counter', 2)
    expect((await ask('/ingest/live/b', 'POST')).status).to.equal(201)
    expect(await (await ask('/counter/', 'GET')).json()).to.eql({ published: 2 })

    expect((await ask(location, 'DELETE')).status).to.equal(204)
    expect(running.server.streams.get('live/a')).to.equal(undefined)
    expect((await ask(location, 'DELETE')).status).to.equal(410)
    expect(running.problems).to.eql([])
  })
})
