import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { CopiedPlugins } from '../../../test/support/copied-plugins.ts'
import { startServer, type RunningServer } from '../../../test/support/server.ts'
import { createFile } from '../../../test/support/stores.ts'

const RELOADS = 20

/** A plugin in which a task, a viewer and a publisher end each 20 ms, until it is asked how many there were. */
const BUSY = `
  import { AccessUnit, definePlugin, Type } from 'sluice/sdk'
  const config = { record: Buffer.alloc(0), sampleRate: 8000, channels: 1, codecString: '' }
  const tone = { kind: 'audio', codec: 'pcma', timescale: 8000, config }
  const client = { ip: '', port: 0, userAgent: 'busy' }
  export default definePlugin({
    name: 'busy', version: '1.0.0',
    setup(ctx) {
      const turns = []
      async function turn(streamPath) {
        const session = { streamPath, type: 'transform', url: '', query: '', client }
        const publisher = await ctx.streams.publish(session)
        const track = publisher.addTrack(tone)
        publisher.tracksComplete()
        publisher.write(new AccessUnit({ track, dts: 0, form: 'raw', data: Buffer.alloc(160) }))
        const subscriber = await ctx.streams.subscribe(session)
        subscriber.close('left')
        publisher.close('over')
        await ctx.tasks.start({ owner: streamPath, run: async () => {} }).done
      }
      const stop = ctx.setInterval(() => turns.push(turn('busy/' + (turns.length + 1))), 20)
      ctx.tasks.start({ owner: 'busy/all', run: (signal) => new Promise((end) => signal.addEventListener('abort', end)) })
      ctx.operations.add({
        method: 'POST', path: 'api/stop', summary: 'Stop', answer: Type.Object({ count: Type.Integer() }),
        async handle() {
          stop()
          await Promise.all(turns)
          return { count: turns.length }
        },
      })
    },
  })`

type Session = { readonly id: number; readonly pid: number; readonly startTime: string; readonly endTime: string }
type Ended = { readonly owner: string; readonly reason: string; readonly description: string }

const NO_TIME = '0001-01-01T00:00:00Z'

describe('history while tasks and sessions end', () => {
  let plugins: CopiedPlugins
  let server: RunningServer
  let file: string

  beforeEach(async () => {
    plugins = await CopiedPlugins.of('history')
    await writeFile(path.join(plugins.folder, 'busy.ts'), BUSY)
    file = await createFile()
    server = await startServer({
      config: JSON.stringify({ global: { taskhistory: true, db: { dsn: file } } }),
      pluginFolders: [plugins.folder],
    })
  })

  async function runs(): Promise<readonly Session[]> {
    return (await server.api('/monitor/api/session/list')).body.data as readonly Session[]
  }

  async function stop(): Promise<number> {
    const { body } = await server.api('/busy/api/stop', { method: 'POST' })
    return (body.data as { count: number }).count
  }

  async function ended(): Promise<readonly Ended[]> {
    const [run] = await runs()
    return (await server.api(`/monitor/api/task/${run?.id}`)).body.data as readonly Ended[]
  }

  const kindOf = ({ description }: Ended) => (JSON.parse(description) as { kind?: string }).kind ?? 'task'
  const names = (rows: readonly Ended[]) => rows.map((row) => `${kindOf(row)} ${row.owner}`)

  it(`reloaded ${RELOADS} times has one row of each that ended, and one of the run`, async () => {
    const before = await runs()
    for (let count = 0; count < RELOADS; count++) await plugins.reload(server, 'history')
    const count = await stop()
    const hasAll = async () => (await ended()).length >= 3 * count
    await waitFor(hasAll, { what: `${count} tasks, viewers and publishers` })
    const expected = Array.from({ length: count }, (_, index) =>
      ['subscriber', 'publisher', 'task'].map((kind) => `${kind} busy/${index + 1}`),
    )
    expect(names(await ended()).toSorted()).to.eql(expected.flat().toSorted())
    expect(await runs()).to.eql(before)
    expect(before).to.have.length(1)
    expect(before[0]).to.include({ pid: process.pid, endTime: NO_TIME })
    await waitFor(() => server.records.filter(({ msg }) => /^generation \d+ has ended/u.test(msg)).length === RELOADS)
    expect(server.problems).to.eql([])
  })

  it('removed leaves a server that runs, without the lists, and goes on with the run when it is back', async () => {
    const before = await runs()
    await waitFor(async () => (await ended()).length > 10, { what: 'rows' })
    await plugins.remove(server, 'history')
    for (const route of ['/monitor/api/session/list', '/debug/api/session/list', '/monitor/api/task/1']) {
      expect((await server.api(route)).status, route).to.equal(404)
    }
    expect((await server.api('/api/task/tree')).status).to.equal(200)
    await plugins.putBack(server, 'history')
    const rows = (await ended()).length
    await waitFor(async () => (await ended()).length > rows, { what: 'further rows' })
    await waitFor(async () => (await runs())[0]?.endTime === NO_TIME, { what: 'the run to go on' })
    expect(await runs()).to.eql(before)
    const all = names(await ended())
    expect(all).to.eql([...new Set(all)])
    expect(server.problems).to.eql([])
  })

  it('has the end of the run and all that ends with the server, before the database is closed', async () => {
    const stopped = await stop()
    const [run] = await runs()
    await server.stop()
    const database = new DatabaseSync(file, { readOnly: true })
    const rows = database.prepare('select owner, reason from sluice_monitor_task order by id').all()
    expect(rows.at(-1)).to.eql({ owner: 'busy/all', reason: 'the server is stopping' })
    expect(rows).to.have.length(3 * stopped + 1)
    const [{ end_ms: endMs } = {}, ...others] = database.prepare('select * from sluice_monitor_run').all()
    expect(others).to.eql([])
    expect(endMs).to.be.at.least(Date.parse(run?.startTime ?? ''))
    expect(server.problems).to.eql([])
  })
})

describe('a server without the history', () => {
  it('starts, runs, and has no lists of what ran', async () => {
    const server = await startServer({ pluginFolders: [(await CopiedPlugins.of('flv')).folder] })
    expect((await server.api('/monitor/api/session/list')).status).to.equal(404)
    expect((await server.api('/debug/api/task/1')).status).to.equal(404)
    expect((await server.api('/readyz')).status).to.equal(200)
    await server.stop()
    expect(server.problems).to.eql([])
  })
})
