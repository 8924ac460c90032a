import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { freePort } from '../peers/free-port.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerCommand } from '../support/command.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'

/** A G.711 tag, which needs no sequence header. */
const SOUND = { type: 8, timestampMs: 0, body: Buffer.from('7201020304', 'hex') } as const
const NO_TIME = '0001-01-01T00:00:00Z'

type Session = { readonly id: number; readonly pid: number; readonly args: string; startTime: string; endTime: string }

describe('the server of a process', () => {
  let folder: string
  let file: string
  let env: Record<string, string>
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    file = path.join(folder, 'config.yaml')
    await writeFile(file, '')
    env = {
      SLUICE_GLOBAL_HTTP_LISTENADDR: `127.0.0.1:${await freePort()}`,
      SLUICE_RTMP_TCP_LISTENADDR: `127.0.0.1:${await freePort()}`,
      // A busy machine takes long to look at a config, and a publisher is silent meanwhile.
      SLUICE_RTMP_PUBLISH_PUBLISHTIMEOUT: '120s',
    }
  })
  afterEach(() => rm(folder, { recursive: true }))

  const start = () => ServerCommand.start(['-c', file], { cwd: folder, env })
  const startsOf = ({ records }: ServerCommand) => records.filter(({ msg }) => msg === 'the server is up').length
  const post = (server: ServerCommand, route: string) => fetch(server.http(route), { method: 'POST' })
  async function sessionsOf(server: ServerCommand): Promise<Session[]> {
    const answer = await fetch(server.http('/monitor/api/session/list'))
    return ((await answer.json()) as { data: Session[] }).data
  }

  it('is restarted with its pid, its ports, and its config as it is now', async () => {
    const server = await start()
    const before = await RtmpClient.publish({ url: server.rtmp('live/a') })
    await writeFile(file, 'global: { publicip: 198.51.100.7 }\n')
    const answer = await post(server, '/api/restart/0')
    expect([answer.status, await answer.json()]).to.eql([200, { code: 0, message: 'success' }])
    await before.closed
    await waitFor(() => startsOf(server) === 2, { what: 'the server to be up again' })
    expect(server.process.exited).to.equal(undefined)
    expect(server.records.find(({ msg }) => msg === 'a restart is asked for')).to.include({ user: 'anonymous' })

    const publisher = await RtmpClient.publish({ url: server.rtmp('live/a') })
    publisher.send(SOUND)
    const viewer = new FlvViewer(server.http('/flv/live/a.flv'))
    await viewer.received.wait(1)
    const info = (await (await fetch(server.http('/api/sysinfo'))).json()) as { data: { publicIP: string } }
    expect(info.data.publicIP).to.equal('198.51.100.7')
    const [first, second, ...others] = await sessionsOf(server)
    expect(others).to.eql([])
    expect(second).to.include({ pid: first?.pid, args: first?.args, endTime: NO_TIME })
    expect(first?.args).to.match(/sluice\.js -c .*config\.yaml$/u)
    for (const time of [first?.startTime, first?.endTime, second?.startTime]) {
      expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)
    }
    expect(server.complaints).to.eql([])

    server.process.signal('SIGTERM')
    expect((await server.process.exit).code).to.equal(0)
  })

  it('goes on where a restart finds its config wrong, which is answered', async () => {
    const server = await start()
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/a') })
    publisher.send(SOUND)
    const viewer = new FlvViewer(server.http('/flv/live/a.flv'))
    await viewer.received.wait(1)
    const wrongs = [
      { text: 'global: [', says: 'config.yaml:1' },
      { text: 'global: { draintimeout: soon }\n', says: 'draintimeout' },
      { text: 'rtmp: { chunksize: big }\n', says: 'chunksize' },
      { text: 'global: { db: "mysql://me:hush@db/x" }\n', says: 'db' },
    ]
    for (const { text, says } of wrongs) {
      await writeFile(file, text)
      const answer = await post(server, '/api/restart')
      const body = (await answer.json()) as { message: string }
      expect([answer.status, body.message], text).to.satisfy(
        ([status, message]: [number, string]) => status === 400 && message.includes(says),
      )
      expect(body.message).not.to.include('hush')
    }
    viewer.received.frames.length = 0
    publisher.send({ ...SOUND, timestampMs: 100 })
    await viewer.received.wait(1)
    await writeFile(file, '')
    expect((await post(server, '/api/restart')).status).to.equal(200)
    await waitFor(() => startsOf(server) === 2, { what: 'the server to be up again' })
  })

  it('is restarted with what was set at run time, unless that is wrong by now', async () => {
    const server = await start()
    const plugin = (key: string) =>
      `import { definePlugin, Type } from 'sluice/sdk'\nexport default definePlugin({ name: 'mine', version: '1.0.0',` +
      ` config: Type.Object({ ${key}: Type.Integer({ default: 1 }) }), setup() {} })\n`
    await writeFile(path.join(path.dirname(file), 'mine.ts'), plugin('size'))
    const put = async (section: string, values: object) => {
      const init = { method: 'PUT', body: JSON.stringify(values), headers: { 'content-type': 'application/json' } }
      return (await fetch(server.http(`/config/${section}`), init)).status
    }
    expect(await put('global', { plugins_dir: ['.'] })).to.equal(200)
    expect(await put('mine', { size: 5 })).to.equal(404)
    expect((await post(server, '/api/restart')).status).to.equal(200)
    await waitFor(() => startsOf(server) === 2, { what: 'the server to be up again' })
    expect(await put('mine', { size: 5 })).to.equal(200)

    await writeFile(path.join(path.dirname(file), 'mine.ts'), plugin('width'))
    const refused = await post(server, '/api/restart')
    expect([refused.status, ((await refused.json()) as { message: string }).message]).to.eql([
      400,
      'config modify: mine.size: unknown key',
    ])
  })

  it('is restarted once for two who ask at the same time', async () => {
    const server = await start()
    const answers = await Promise.all([post(server, '/api/restart'), post(server, '/api/restart')])
    expect(answers.map(({ status }) => status)).to.eql([200, 200])
    await waitFor(() => startsOf(server) === 2, { what: 'the server to be up again' })
    expect(await sessionsOf(server)).to.have.length(2)
    server.process.signal('SIGTERM')
    expect((await server.process.exit).code).to.equal(0)
    expect(startsOf(server)).to.equal(2)
  })

  it('ends by a signal also in the midst of a restart', async () => {
    const server = await start()
    expect((await post(server, '/api/restart')).status).to.equal(200)
    await waitFor(() => server.records.some(({ msg }) => msg === 'stopping'), { intervalMs: 1, what: 'the stop' })
    server.process.signal('SIGTERM')
    expect((await server.process.exit).code).to.equal(0)
  })

  it('ends by a shutdown with code 0, and answers first', async () => {
    const server = await start()
    const answer = await post(server, '/api/shutdown')
    expect([answer.status, await answer.json()]).to.eql([200, { code: 0, message: 'success' }])
    expect((await server.process.exit).code).to.equal(0)
    expect(server.records.some(({ msg }) => msg === 'a shutdown is asked for')).to.equal(true)
    expect(server.records.at(-1)?.msg).to.equal('stopped')
    const next = await start()
    const [before] = await sessionsOf(next)
    expect(before?.endTime).to.match(/\.\d{3}Z$/u)
  })

  it('is listed without an end after it was killed', async () => {
    const killed = await start()
    const [own] = await waitFor(async () => {
      const sessions = await sessionsOf(killed)
      return sessions[0]?.id === 1 && sessions
    })
    killed.process.signal('SIGKILL')
    await killed.process.exit
    const next = await start()
    const sessions = await sessionsOf(next)
    expect(sessions.map(({ pid, endTime }) => ({ pid, endTime }))).to.eql([
      { pid: own?.pid, endTime: NO_TIME },
      { pid: sessions[1]?.pid, endTime: NO_TIME },
    ])
    expect(sessions[1]?.pid).not.to.equal(own?.pid)
  })
})
