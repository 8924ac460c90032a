import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { publish } from '../peers/ffmpeg.ts'
import { ffprobePackets } from '../peers/ffprobe.ts'
import { PostgresServer } from '../peers/postgres.ts'
import type { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { listedFiles, placeOf, post, type ListedFile } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const PASSWORD = 'correct horse'
const SECONDS = 300

type Active = { readonly streamPath: string; readonly type: string; readonly pointer: string }
type Task = { readonly streamPath: string; readonly planName: string; readonly isRecording: boolean }

/** A plan that is on in this hour and the next one, and one that is on in all others. */
function plansOfNow(): { readonly on: string; readonly off: string } {
  const now = new Date()
  const hour = now.getDay() * 24 + now.getHours()
  const isNear = (index: number) => index === hour || index === (hour + 1) % 168
  const text = (isOn: (index: number) => boolean) =>
    Array.from({ length: 168 }, (_, index) => (isOn(index) ? '1' : '0')).join('')
  return { on: text(isNear), off: text((index) => !isNear(index)) }
}

async function activeOf(server: RunningServer, streamPath: string): Promise<Active[]> {
  const active = (await server.api('/api/record/list')).body.data as Active[]
  return active.filter((recording) => recording.streamPath === streamPath)
}

/** The plan has started a recording, and it goes on. */
async function isRecorded(server: RunningServer, streamPath: string): Promise<boolean> {
  return (await runningTasks(server)).some((task) => task.streamPath === streamPath && task.isRecording)
}

async function runningTasks(server: RunningServer): Promise<Task[]> {
  return (await server.api('/crontab/api/status')).body['runningTasks'] as Task[]
}

/** A file has something of the stream in it that can be seen. */
async function hasPictures(server: RunningServer, streamPath: string): Promise<boolean> {
  const files = await listedFiles(server, 'mp4', streamPath)
  return files.some(({ duration }) => duration > 500)
}

describe('scheduled plans', function () {
  let data: string
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    data = await mkdtemp(path.join(tmpdir(), 'sluice-plans-'))
    server = await start()
    const { on, off } = plansOfNow()
    await post(server, '/plan/api/add', { name: 'now', enable: true, plan: on })
    await post(server, '/plan/api/add', { name: 'not now', enable: true, plan: off })
  })
  after(async () => {
    await server?.stop()
    if (data !== undefined) await rm(data, { recursive: true, force: true })
  })

  /** A server with the database of the one before. */
  const start = () => startServer({ env: { SLUICE_GLOBAL_DATADIR: data } })

  /** Publishes until the test ends. */
  async function published(streamPath: string): Promise<PeerProcess> {
    const publisher = publish({ url: server.rtmp(streamPath), durationSeconds: SECONDS, video: { size: '64x64' } })
    await waitFor(() => server.server.streams.get(streamPath)?.publisher)
    return publisher
  }

  it('record a stream that runs from now on, and stop when they are turned off', async () => {
    const publisher = await published('live/a')
    await post(server, '/planstream/api/add', { planId: 5, streamPath: 'live/a', enable: true })
    expect(await activeOf(server, 'live/a')).to.eql([])
    const changed = { planId: 4, streamPath: 'live/a', filePath: 'plans', fragment: '10m' }
    await post(server, '/planstream/api/update', changed)
    await waitFor(async () => (await hasPictures(server, 'live/a')) && (await activeOf(server, 'live/a')).length === 1)
    const [task] = await waitFor(async () => (await runningTasks(server)).filter(({ isRecording }) => isRecording))
    expect(task).to.include({ streamPath: 'live/a', planName: 'now' })

    await post(server, '/plan/api/update/4', { enable: false })
    await waitFor(async () => (await activeOf(server, 'live/a')).length === 0)
    expect(await runningTasks(server)).to.eql([])
    const [file] = await waitFor(async () => {
      const files = await listedFiles(server, 'mp4', 'live/a')
      return files.length === 1 && files.every(({ isActive }) => !isActive) && files
    })
    expect(file?.filePath).to.match(/^plans\/live\/a\//u)
    const packets = await ffprobePackets(placeOf(server, file as ListedFile))
    expect(packets.find(({ kind }) => kind === 'video')?.keyframe).to.equal(true)
    await post(server, '/plan/api/update/4', { enable: true })
    await waitFor(() => isRecorded(server, 'live/a'))
    await publisher.close()
  })

  it('record a stream that comes, beside what an operator records, which they leave alone', async () => {
    await post(server, '/planstream/api/add', { planId: 4, streamPath: 'live/b', enable: true })
    const publisher = await published('live/b')
    await waitFor(() => isRecorded(server, 'live/b'))
    const pointer = await post(server, '/mp4/api/start/live/b', { filePath: 'mine' })
    expect(await activeOf(server, 'live/b')).to.have.length(2)
    await post(server, '/planstream/api/remove/live/b/mp4')
    await waitFor(async () => (await activeOf(server, 'live/b')).length === 1)
    expect((await activeOf(server, 'live/b')).map((recording) => recording.pointer)).to.eql([pointer])
    await publisher.close()
  })

  it('record again when somebody has stopped it', async () => {
    await post(server, '/planstream/api/add', { planId: 4, streamPath: 'live/c', enable: true })
    const publisher = await published('live/c')
    await waitFor(() => isRecorded(server, 'live/c'))
    const [first] = await activeOf(server, 'live/c')
    await post(server, '/mp4/api/stop/live/c')
    await waitFor(() => isRecorded(server, 'live/c'))
    const [second] = await activeOf(server, 'live/c')
    expect(second?.pointer).to.not.equal(first?.pointer)
    await publisher.close()
    await post(server, '/planstream/api/remove/4/live/c')
  })

  it('go on in the same recording when the plugin has another generation', async () => {
    await post(server, '/planstream/api/add', { planId: 4, streamPath: 'live/d', enable: true })
    const publisher = await published('live/d')
    await waitFor(() => isRecorded(server, 'live/d'))
    const before = await activeOf(server, 'live/d')
    const state = () => server.server.host.list().find(({ name }) => name === 'crontab')
    const generation = state()?.generation
    await server.writeConfig('crontab: { publish: { maxcount: 5 } }')
    await waitFor(() => state()?.generation !== generation)
    await waitFor(() => isRecorded(server, 'live/d'))
    expect(await activeOf(server, 'live/d')).to.eql(before)
    await post(server, '/planstream/api/remove/4/live/d')
    await waitFor(async () => (await activeOf(server, 'live/d')).length === 0)
    await publisher.close()
  })

  it('are kept, and record again after a restart of the server', async () => {
    expect(server.problems).to.eql([])
    await server.stop()
    server = await start()
    const publisher = await published('live/a')
    await waitFor(async () => (await hasPictures(server, 'live/a')) && (await activeOf(server, 'live/a')).length === 1)
    const { body } = await server.api('/plan/api/list')
    const names = (body.data as { readonly name: string }[]).map(({ name }) => name)
    expect(names).to.eql(['whole week', 'Monday to Friday', 'weekend', 'now', 'not now'])
    await publisher.close()
    expect(server.problems).to.eql([])
  })

  it('are kept by PostgreSQL as by SQLite', async function () {
    requirePeer(this, 'postgresql')
    const postgres = await PostgresServer.start()
    const other = await startServer({ env: { SLUICE_GLOBAL_DB_DSN: await postgres.createDatabase() } })
    const { on } = plansOfNow()
    await post(other, '/plan/api/add', { name: 'now', enable: true, plan: on })
    await post(other, '/planstream/api/add', { planId: 4, streamPath: 'live/a', enable: true })
    const again = { method: 'POST', body: JSON.stringify({ streamPath: 'live/a' }) }
    expect((await other.api('/planstream/api/add', again)).status).to.equal(409)
    await post(other, '/planstream/api/update', { streamPath: 'live/a', fragment: '5m' })
    const listed = (await other.api('/planstream/api/list?planId=4')).body.data as readonly object[]
    expect(listed[0]).to.include({ planId: 4, streamPath: 'live/a', fragment: '5m', enable: true })
    await post(other, '/plan/api/remove/4')
    const { body } = await other.api('/plan/api/list')
    expect((body.data as { readonly id: number }[]).map(({ id }) => id)).to.eql([1, 2, 3])
    expect((await other.api('/planstream/api/list')).body['totalCount']).to.equal(0)
    expect(other.problems).to.eql([])
    await other.stop()
    await postgres.stop()
  })

  it('are read by users and changed by admins', async () => {
    const users = `users: [{ username: alice, password: ${PASSWORD}, role: admin }, { username: bob, password: ${PASSWORD} }]`
    const guarded = await startServer({ config: `global: { admin: { enablelogin: true, ${users} } }` })
    const asks = async (username: string) => {
      const login = (await post(guarded, '/api/auth/login', { username, password: PASSWORD })) as { token: string }
      const headers = { authorization: `Bearer ${login.token}` }
      return async (target: string, body?: object) => {
        const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
        return (await guarded.api(target, init)).status
      }
    }
    const [alice, bob] = [await asks('alice'), await asks('bob')]
    const { on } = plansOfNow()
    for (const target of ['/plan/api/list', '/planstream/api/list', '/crontab/api/status', `/plan/api/parse/${on}`]) {
      expect([(await guarded.api(target)).status, await bob(target)], target).to.eql([401, 200])
    }
    const changes: readonly (readonly [target: string, body: object])[] = [
      ['/plan/api/add', { name: 'mine', plan: on }],
      ['/plan/api/update/4', { name: 'ours' }],
      ['/planstream/api/add', { planId: 4, streamPath: 'live/a' }],
      ['/planstream/api/update', { streamPath: 'live/a', enable: true }],
      ['/planstream/api/remove/4/live/a', {}],
      ['/plan/api/remove/4', {}],
    ]
    for (const [target, body] of changes) {
      expect([await bob(target, body), await alice(target, body)], target).to.eql([403, 200])
    }
    await guarded.stop()
  })
})
