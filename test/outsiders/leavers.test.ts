import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { CLIENT_LEFT } from 'sluice/sdk'
import { ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { createTestServer } from 'sluice/testing'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { createFile } from '../support/stores.ts'
import plugin from './leavers.ts'

describe('a plugin whose rows wait for the database', () => {
  it('has all of them once it is there, in their order', async () => {
    const file = path.join(path.dirname(await createFile()), 'later', 'test.db')
    const server = await createTestServer(plugin, { global: { db: { dsn: file } } })
    keep({ close: () => server.stop() })
    const left = Promise.withResolvers<void>()
    let leavers = 0
    server.ctx.hooks.on('unsubscribed', () => {
      leavers += 1
      if (leavers === 2) left.resolve()
    })
    for (const name of ['live/a', 'live/b']) {
      new ScriptedPublisher(await server.streams.publish(sessionInit(name))).write(2)
      const viewer = await server.streams.subscribe(sessionInit(name))
      viewer.close(CLIENT_LEFT)
    }
    await left.promise
    await waitFor(() => server.problems.some(({ msg }) => msg.startsWith('no database: ')))
    await mkdir(path.dirname(file))
    await waitFor(() => server.log.some(({ msg }) => msg === 'the database is back'))
    await server.stop()
    const rows = new DatabaseSync(file).prepare('select path from leavers_visit order by left_ms, rowid').all()
    expect(rows.map(({ path }) => path)).to.eql(['live/a', 'live/b'])
    expect(server.problems.filter(({ plugin }) => plugin === 'leavers')).to.eql([])
  })

  it('is the plugin of docs/plugins/store.md', async () => {
    const block = (await blocksOf('docs/plugins/store.md', 'ts'))("name: 'leavers'")
    expect(block).to.equal(await readFile(new URL('leavers.ts', import.meta.url), 'utf8'))
  })
})
