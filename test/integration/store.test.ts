import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { keep } from '../peers/lifetime.ts'
import { PostgresServer } from '../peers/postgres.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerCommand, startCommand } from '../support/command.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { LiveSource } from '../support/live-source.ts'
import { startServer } from '../support/server.ts'
import { createFile } from '../support/stores.ts'

const LOOP_MS = 2000
/** Of a viewer, each time. */
const FRAMES = 50
const PLUGIN = new URL('../outsiders/visits.ts', import.meta.url)

/** A folder with a config and the plugin that counts visits. */
async function prepare(): Promise<{ readonly folder: string; readonly args: readonly string[] }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-data-'))
  keep({ close: () => rm(folder, { recursive: true, force: true }) })
  await writeFile(path.join(folder, 'visits.ts'), await readFile(PLUGIN))
  await writeFile(path.join(folder, 'config.yaml'), 'global: { plugins_dir: . }\n')
  return { folder, args: ['-c', path.join(folder, 'config.yaml')] }
}

describe('the data of a server', () => {
  it('has a folder from the first start on, which is the first thing to remember', async () => {
    const server = await startServer()
    await server.server.stop('enough')
    expect(existsSync(path.join(server.folder, 'data', 'sluice.db'))).to.equal(true)
  })

  it('is at another place from the next start only, as the log says', async () => {
    const config = `global: { db: ${await createFile()} }`
    const server = await startServer({ config })
    await server.writeConfig('global: { db: "postgres://u:hush@db/two" }')
    await waitFor(() => server.problems.length > 0, { what: 'the warning' })
    const warnings = server.problems.map(({ msg }) => msg)
    expect(warnings).to.eql(['global.db.dsn holds from the next start of the server'])
    expect(JSON.stringify(server.records)).to.not.include('hush')
  })

  it('is in the working directory, and a check of the config makes none', async () => {
    const { folder, args } = await prepare()
    await startCommand(['check', ...args], { cwd: folder }).succeed()
    expect(existsSync(path.join(folder, 'data'))).to.equal(false)
    const server = await ServerCommand.start(args, { cwd: folder })
    const hidden = await fetch(server.http('/visits/api/hide/live/a'), { method: 'POST' })
    expect(hidden.status).to.equal(200)
    server.process.signal('SIGTERM')
    expect(await server.process.exit).to.include({ code: 0 })
    const database = new DatabaseSync(path.join(folder, 'data', 'sluice.db'), { readOnly: true })
    const names = database
      .prepare("select name from sluice_migration where owner = 'plugin:visits' order by name")
      .all()
    expect(names.map(({ name }) => name)).to.eql(['001-stream', '002-hidden'])
    database.close()
  })

  it('is away for a while, and streaming goes on: for who watches, and for who comes', async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'postgresql')
    const database = await PostgresServer.start()
    const dsn = await database.createDatabase()
    const server = await startServer({
      config: JSON.stringify({ global: { plugins_dir: '.', db: { dsn } } }),
      prepare: async (folder) => writeFile(path.join(folder, 'visits.ts'), await readFile(PLUGIN)),
    })
    const { tags } = await makeFlvFile(path.join(server.folder, 'a.flv'))
    await LiveSource.start({ url: server.rtmp('live/a'), tags, loopMs: LOOP_MS })
    const list = () => server.api('/visits/api/list')
    const hasCount = async (count: number) =>
      JSON.stringify((await list()).body.data ?? []).includes(`"count":${count}`)
    const watch = async () => {
      const viewer = new FlvViewer(server.http('/flv/live/a.flv'))
      await viewer.received.wait(FRAMES)
      return viewer
    }
    const stays = await watch()
    await waitFor(() => hasCount(1), { what: 'the first visit' })

    await database.stop()
    expect((await list()).status).to.equal(503)
    await stays.received.wait(stays.received.frames.length + FRAMES)
    const comes = await watch()
    expect((await list()).status).to.equal(503)

    await database.start()
    await waitFor(async () => (await list()).status === 200, { what: 'the database to be back' })
    await watch()
    await waitFor(() => hasCount(2), { what: 'the next visit' })
    for (const viewer of [stays, comes]) await viewer.received.wait(viewer.received.frames.length + FRAMES)
    expect(server.server.streams.subscribers('live/a')).to.have.length(3)
  })
})
