import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { ScriptedPublisher, sessionInit, ScriptedSubscriber } from 'sluice/sdk/testing'
import { createTestServer } from 'sluice/testing'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { describeStores } from '../support/stores.ts'
import plugin from './visits.ts'

type Visit = { readonly path: string; readonly count: number; readonly lastMs: number }

describeStores('a plugin with tables', (databases) => {
  async function start(dsn: string, definition = plugin) {
    const server = await createTestServer(definition, { global: { db: { dsn } } })
    keep({ close: () => server.stop() })
    const list = async (): Promise<readonly Visit[]> => {
      const answer = await fetch(`${server.origin}/visits/api/list`)
      expect(answer.status).to.equal(200)
      return ((await answer.json()) as { data: Visit[] }).data
    }
    return { server, list }
  }

  it('counts, over its generations and restarts of the server', async () => {
    const dsn = await databases.create()
    const { server, list } = await start(dsn)
    const script = new ScriptedPublisher(await server.streams.publish(sessionInit('live/a')))
    script.write(2)
    const view = async () => new ScriptedSubscriber(await server.streams.subscribe(sessionInit('live/a')))
    await view()
    await waitFor(async () => (await list())[0]?.count === 1)
    await server.replace()
    await view()
    await waitFor(async () => (await list())[0]?.count === 2)
    expect(server.problems).to.eql([])
    await server.stop()
    const again = await start(dsn)
    expect((await again.list()).map(({ path, count }) => [path, count])).to.eql([['live/a', 2]])
    await fetch(`${again.server.origin}/visits/api/hide/live/a`, { method: 'POST' })
    expect(await again.list()).to.eql([])
  })

  it('is not started by older code, which says what to do, and keeps its data', async () => {
    const dsn = await databases.create()
    const { server } = await start(dsn)
    await server.stop()
    const { '001-stream': first } = plugin.tables ?? {}
    if (first === undefined) throw new Error('it has no such migration')
    const older = start(dsn, { ...plugin, tables: { '001-stream': first } })
    const refusal = await older.then(
      () => '',
      (error: unknown) => String(error),
    )
    expect(refusal).to.include("the tables of 'plugin:visits' are of a newer version ('002-hidden') than its code")
    expect((await start(dsn)).server.problems).to.eql([])
  })
})

describe('a plugin with tables', () => {
  it('runs without a database, and its operations answer 503', async () => {
    const dsn = '/no/such/folder/hush.db'
    const server = await createTestServer(plugin, { global: { db: { dsn } } })
    keep({ close: () => server.stop() })
    const answer = await fetch(`${server.origin}/visits/api/list`)
    expect(answer.status).to.equal(503)
    const text = await answer.text()
    expect(text).to.include('no db: its file can not be opened').and.not.include('hush')
    expect(server.problems.map(({ msg }) => msg).filter((msg) => msg.startsWith('no database: '))).to.have.length(1)
  })

  it('is the plugin of docs/plugins/store.md', async () => {
    const block = (await blocksOf('docs/plugins/store.md', 'ts'))("name: 'visits'")
    expect(block).to.equal(await readFile(new URL('visits.ts', import.meta.url), 'utf8'))
  })
})
