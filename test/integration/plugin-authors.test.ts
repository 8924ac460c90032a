import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { startServer } from '../support/server.ts'

describe('docs/plugin-authors.md', () => {
  it('has a plugin keep a stream of its own across reloads, and end it when it is removed', async () => {
    const block = (await blocksOf('docs/plugin-authors.md', 'ts'))('kickexist')
    const clock = (version: string) => `
import { definePlugin } from 'sluice/sdk'

const writeNext = (publisher) => publisher.setMetadata({ by: '${version}' })

export default definePlugin({ name: 'clock', version: '${version}', async setup(ctx) {\n${block}\n} })
`
    const fileIn = (folder: string) => path.join(folder, 'plugins', 'clock.ts')
    const running = await startServer({
      config: 'global:\n  plugins_dir: plugins\nclock:\n  publish:\n    publishtimeout: 1h\n',
      prepare: async (place) => {
        await mkdir(path.join(place, 'plugins'))
        await writeFile(fileIn(place), clock('1.0.0'))
      },
    })
    const { server, folder } = running
    const publishedBy = () => server.streams.get('live/clock')?.publisher?.metadata['by']
    await waitFor(() => publishedBy() === '1.0.0', { what: 'the stream of the plugin' })

    await writeFile(fileIn(folder), clock('2.0.0'))
    await waitFor(() => publishedBy() === '2.0.0', { what: 'the stream of the next version' })
    expect(server.host.list().find(({ name }) => name === 'clock')).to.include({ generation: 2 })

    await rm(fileIn(folder))
    await waitFor(() => server.streams.get('live/clock') === undefined, { what: 'the stream to end' })
    // The config still has its section, which a late event of the file's watch may have the server say.
    expect(running.problems.filter(({ msg }) => !msg.includes("there is no plugin 'clock'"))).to.eql([])
  })
})

describe('docs/plugins/operations.md', () => {
  it('has a plugin with operations, which answer what it says', async () => {
    const page = 'docs/plugins/operations.md'
    const plugin = (await blocksOf(page, 'ts'))("name: 'notes'")
    const running = await startServer({
      config: 'global:\n  plugins_dir: plugins\n',
      prepare: async (place) => {
        await mkdir(path.join(place, 'plugins'))
        await writeFile(path.join(place, 'plugins', 'notes.ts'), plugin)
      },
    })
    const [, method, target = '', body, answer = ''] =
      /curl -X (\S+) localhost:8080(\S+) -d '(.*)'\n# (.*)\n/u.exec((await blocksOf(page, 'sh'))('curl')) ?? []
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const set = await running.api(target, { method: String(method), headers, body: String(body) })
    expect(set.body).to.eql(JSON.parse(answer))
    const list = async (query: string) => (await running.api(`/notes/api/list?${query}`)).body
    expect(await list('page_size=10')).to.deep.include({ data: [set.body.data], total: 1, pageSize: 10 })
    expect(await list('tag=none')).to.include({ total: 0 })
    const remove = () => running.api('/notes/api/remove/live/a', { method: 'POST' })
    expect([(await remove()).status, (await remove()).body.message]).to.eql([200, 'there is no such note'])
    expect(running.problems).to.eql([])
  })
})
