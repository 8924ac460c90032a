import { expect } from 'chai'
import type { Recordings, RecordService } from 'sluice/sdk'
import { createFakeHost, sessionInit, type FakeHost } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import crontab from '../index.ts'
import { ScriptedRecordings } from './scripted-recordings.ts'

const ALWAYS = '1'.repeat(168)
const NEVER = '0'.repeat(168)

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> }
type Row = Readonly<Record<string, unknown>>

describe('crontab', () => {
  let recordings: ScriptedRecordings
  let host: FakeHost<unknown>

  /** @param before the host of the generation before */
  function start(before?: FakeHost<unknown>): Promise<FakeHost<unknown>> {
    // The plugin uses what is scripted of the service, and asks only whether a type is recorded.
    const services = { recordings: recordings as unknown as Recordings, 'record:mp4': {} as RecordService }
    return createFakeHost(crontab, { services, ...(before && { kept: before.kept, store: before.store }) })
  }

  beforeEach(async () => {
    recordings = new ScriptedRecordings()
    host = await start()
  })
  afterEach(() => host.dispose())

  async function ask(path: string, body?: unknown): Promise<Answer> {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(host.http.origin + path, init)
    return { status: response.status, body: (await response.json()) as Answer['body'] }
  }
  async function change(path: string, body: unknown = {}): Promise<void> {
    expect(await ask(path, body)).to.eql({ status: 200, body: { code: 0, message: 'success' } })
  }
  async function addPlan(body: unknown, id: number): Promise<void> {
    const added = { code: 0, message: 'success', data: { id } }
    expect(await ask('/plan/api/add', body)).to.eql({ status: 200, body: added })
  }
  const rows = async (path: string) => (await ask(path)).body['data'] as readonly Row[]
  const names = async () => (await rows('/plan/api/list')).map(({ id, name }) => `${String(id)} ${String(name)}`)
  const active = () => recordings.active().map(({ streamPath, type }) => `${streamPath} ${type}`)

  it('has three plans at first, of which those whose hours no plan has come back with the next start', async () => {
    const { body } = await ask('/plan/api/list')
    expect(body).to.include({ code: 0, totalCount: 3, pageNum: 1, pageSize: 3 })
    const [week, workdays, weekend] = body['data'] as readonly Row[]
    expect(week).to.eql({
      id: 1,
      name: 'whole week',
      enable: true,
      plan: ALWAYS,
      createTime: week?.['createTime'],
      updateTime: week?.['createTime'],
    })
    expect(workdays).to.include({ id: 2, enable: true, plan: '0'.repeat(24) + '1'.repeat(120) + '0'.repeat(24) })
    expect(weekend).to.include({ id: 3, enable: true, plan: '1'.repeat(24) + '0'.repeat(120) + '1'.repeat(24) })
    await change('/plan/api/remove/2')
    await change('/plan/api/update/1', { name: 'mine' })
    await change('/plan/api/update/3', { plan: NEVER })
    await addPlan({ name: 'fourth', plan: NEVER }, 4)
    expect(await names()).to.eql(['1 mine', '3 weekend', '4 fourth'])
    const before = host
    await before.dispose()
    host = await start(before)
    await waitFor(async () => (await names()).length === 5, { what: 'the plans that come back' })
    expect(await names()).to.eql(['1 mine', '2 Monday to Friday', '3 weekend', '4 fourth', '5 weekend'])
    await change('/plan/api/remove/2')
    expect(await names()).to.have.length(4)
  })

  it('adds, changes and removes plans, a page at a time', async () => {
    await addPlan({ name: 'nights', enable: true, plan: NEVER }, 4)
    await change('/plan/api/update/4', { plan: ALWAYS, name: 'days' })
    const [, second] = await rows('/plan/api/list?pageNum=2&pageSize=2')
    expect(second).to.include({ id: 4, name: 'days', enable: true, plan: ALWAYS })
    await change('/plan/api/update/4', { enable: false })
    expect((await rows('/plan/api/list?page_num=4&page_size=1'))[0]).to.include({ name: 'days', enable: false })
    expect((await ask('/plan/api/list?pageSize=3')).body).to.include({ totalCount: 4, pageNum: 1, pageSize: 3 })
    await change('/plan/api/remove/4')
    expect(await names()).to.have.length(3)
  })

  const wrong: readonly (readonly [path: string, body: unknown, status: number, says: string])[] = [
    ['/plan/api/add', { name: 'a', plan: '01' }, 400, 'plan has 2 characters, and needs 168'],
    ['/plan/api/add', { name: 'a' }, 400, 'plan is missing'],
    ['/plan/api/add', { plan: `x${ALWAYS.slice(1)}` }, 400, 'plan has "x" at 0'],
    ['/plan/api/update/1', { plan: `${ALWAYS}1` }, 400, 'plan has 169 characters'],
    ['/plan/api/update/99', { name: 'a' }, 404, 'not found'],
    ['/plan/api/update/x', {}, 400, 'id must be'],
    ['/plan/api/remove/99', {}, 404, 'not found'],
    ['/planstream/api/add', { planId: 99, streamPath: 'live/a' }, 404, 'not found'],
    ['/planstream/api/add', {}, 400, 'streamPath'],
    ['/planstream/api/add', { streamPath: '../a' }, 400, 'the stream path has'],
    ['/planstream/api/add', { streamPath: 'live/a', fragment: 'long' }, 400, 'fragment'],
    ['/planstream/api/add', { streamPath: 'live/a', recordType: 'avi' }, 400, 'recordType: no plugin records avi'],
    ['/planstream/api/add', { streamPath: 'live/a', filePath: '../up' }, 400, 'filePath'],
    ['/planstream/api/add', { streamPath: 'live/a', filePath: '/tmp' }, 400, 'filePath'],
    ['/planstream/api/add', { streamPath: 'live/a', filePath: 'a/{what}' }, 400, 'filePath'],
    ['/planstream/api/update', { streamPath: 'live/none' }, 404, 'not found'],
    ['/planstream/api/remove/1/live/none', {}, 404, 'not found'],
    ['/planstream/api/remove/99999999999999999999/live/none', {}, 404, 'not found'],
    ['/planstream/api/remove/live/none/mp4', {}, 404, 'not found'],
  ]
  for (const [path, body, status, says] of wrong) {
    it(`says ${status} to ${path.slice(0, 60)} ${JSON.stringify(body).slice(0, 60)}: ${says}`, async () => {
      const answer = await ask(path, body)
      expect(answer.status).to.equal(status)
      expect(answer.body['message']).to.include(says)
      expect(await names()).to.have.length(3)
    })
  }

  it('records a stream as its row says, with what nobody has set', async () => {
    await host.ctx.streams.publish(sessionInit('live/a'))
    await change('/planstream/api/add', { streamPath: 'live/a', enable: true })
    await waitFor(() => active().includes('live/a mp4'))
    expect(recordings.inits).to.eql([{ type: 'mp4', streamPath: 'live/a', fragmentMs: 60_000 }])
    const [row] = await rows('/planstream/api/list')
    expect(row).to.eql({
      planId: 1,
      streamPath: 'live/a',
      fragment: '60s',
      filePath: '',
      recordType: 'mp4',
      enable: true,
      createdAt: row?.['createdAt'],
      updatedAt: row?.['createdAt'],
      isRecording: true,
    })
    expect(Date.parse(String(row?.['createdAt']))).to.be.closeTo(Date.now(), 60_000)
    const again = await ask('/planstream/api/add', { streamPath: 'live/a', planId: 2 })
    expect([again.status, again.body['message']]).to.eql([409, 'there is one already'])
  })

  it('records a stream when it comes, and stops when plan or row are turned off or removed', async () => {
    await change('/planstream/api/add', {
      streamPath: 'live/a',
      planId: 1,
      fragment: 10,
      filePath: 'plans',
      enable: true,
    })
    expect(active()).to.eql([])
    await host.ctx.streams.publish(sessionInit('live/a'))
    await waitFor(() => active().length === 1)
    expect(recordings.inits).to.eql([{ type: 'mp4', streamPath: 'live/a', filePath: 'plans', fragmentMs: 10_000 }])
    const turns: readonly (readonly [path: string, off: Row, on: Row])[] = [
      ['/planstream/api/update', { streamPath: 'live/a', enable: false }, { streamPath: 'live/a', enable: true }],
      ['/plan/api/update/1', { enable: false }, { enable: true }],
      ['/plan/api/update/1', { plan: NEVER }, { plan: ALWAYS }],
    ]
    for (const [path, off, on] of turns) {
      await change(path, off)
      await waitFor(() => active().length === 0)
      await change(path, on)
      await waitFor(() => active().length === 1)
    }
    await change('/plan/api/remove/1')
    await waitFor(() => active().length === 0)
    expect(await rows('/planstream/api/list')).to.eql([])
  })

  it('lists streams by plan and path, and removes them in both ways', async () => {
    for (const [planId, streamPath] of [
      [1, 'live/a'],
      [2, 'live/b'],
      [2, 'live/c/d'],
      [3, 'e'],
    ] as const) {
      await change('/planstream/api/add', { planId, streamPath })
    }
    const paths = async (query = '') => (await rows(`/planstream/api/list${query}`)).map((row) => row['streamPath'])
    expect(await paths('?planId=2')).to.eql(['live/b', 'live/c/d'])
    expect(await paths('?streamPath=live/c/d')).to.eql(['live/c/d'])
    expect(await paths('?pageNum=2&pageSize=3')).to.eql(['live/c/d'])
    await change('/planstream/api/remove/2/live/b')
    await change('/planstream/api/remove/live/c/d/mp4')
    await change('/planstream/api/remove/e/mp4')
    expect((await ask('/planstream/api/remove/2/live/a', {})).status).to.equal(404)
    expect(await paths()).to.eql(['live/a'])
    await change('/planstream/api/remove/1/live/a')
    expect(await paths()).to.eql([])
  })

  it('tells what is recorded now and next', async () => {
    await addPlan({ name: 'never', enable: true, plan: NEVER }, 4)
    await change('/planstream/api/add', { streamPath: 'live/a', filePath: 'plans', enable: true })
    await change('/planstream/api/add', { streamPath: 'live/off', enable: false })
    await change('/planstream/api/add', { streamPath: 'live/never', planId: 4, enable: true })
    const status = async (query = '') => (await ask(`/crontab/api/status${query}`)).body
    const before = await status()
    expect(before).to.include({ code: 0, totalRunning: 1, totalPlanned: 1 })
    expect((before['runningTasks'] as readonly Row[])[0]).to.include({ isRecording: false })
    await host.ctx.streams.publish(sessionInit('live/a'))
    await waitFor(() => active().length === 1)
    const { runningTasks, nextTasks } = (await status('?streamPath=live/a')) as Record<string, readonly Row[]>
    const { startTime, endTime, weekday, elapsedSeconds, remainingSeconds, planSlots, ...task } = runningTasks![0]!
    expect(task).to.eql({
      planId: 1,
      planName: 'whole week',
      streamPath: 'live/a',
      isRecording: true,
      timeRange: '00:00-24:00',
      filePath: 'plans',
      fragment: '60s',
    })
    expect(planSlots).to.have.length(7)
    expect(planSlots).to.deep.include({ start: startTime, end: endTime, weekday, timeRange: '00:00-24:00' })
    const lengthSeconds = (Date.parse(String(endTime)) - Date.parse(String(startTime))) / 1000
    expect(Number(elapsedSeconds) + Number(remainingSeconds)).to.be.closeTo(lengthSeconds, 1)
    expect(nextTasks?.[0]).to.include({ startTime: endTime, isRecording: false, elapsedSeconds: 0 })
    expect(await status('?streamPath=live/none')).to.deep.include({ runningTasks: [], nextTasks: [], totalRunning: 0 })
  })

  it('tests a plan', async () => {
    const always = (await ask(`/plan/api/parse/${ALWAYS}`)).body
    expect(always['slots']).to.have.length(7)
    expect(always['nextSlot']).to.include({ timeRange: '00:00-24:00' })
    expect((await ask(`/plan/api/parse/${NEVER}`)).body).to.deep.include({ code: 0, slots: [], nextSlot: null })
    const tuesday = `${'0'.repeat(57)}11${'0'.repeat(109)}`
    const { slots } = (await ask(`/plan/api/parse/${tuesday}`)).body as { readonly slots: readonly Row[] }
    expect(slots.map(({ weekday, timeRange }) => [weekday, timeRange])).to.eql([['Tuesday', '09:00-11:00']])
    const start = new Date(String(slots[0]?.['start']))
    expect([start.getDay(), start.getHours(), start.getMinutes()]).to.eql([2, 9, 0])
    const refused = await ask(`/plan/api/parse/${ALWAYS.slice(1)}`)
    expect([refused.status, refused.body['code']]).to.eql([400, 3])
    expect(refused.body['message']).to.include('167 characters')
  })

  it('goes on without a database, and says so where it is asked', async () => {
    await change('/planstream/api/add', { streamPath: 'live/a', enable: true })
    host.store!.isAway = true
    for (const path of ['/plan/api/list', '/planstream/api/list', '/crontab/api/status']) {
      const { status, body } = await ask(path)
      expect([status, String(body['message']).slice(0, 5)], path).to.eql([503, 'no db'])
    }
    expect((await ask('/plan/api/add', { plan: ALWAYS })).status).to.equal(503)
    expect((await ask(`/plan/api/parse/${ALWAYS}`)).status).to.equal(200)
    await host.ctx.streams.publish(sessionInit('live/a'))
    await waitFor(() => active().length === 1)
  })

  it('hands its recordings on to the next generation', async () => {
    await host.ctx.streams.publish(sessionInit('live/a'))
    await change('/planstream/api/add', { streamPath: 'live/a', enable: true })
    await waitFor(() => active().length === 1)
    const before = host
    host = await start(before)
    before.drain()
    await host.ctx.streams.publish(sessionInit('live/a'))
    const running = (await ask('/crontab/api/status')).body['runningTasks'] as readonly Row[]
    expect(running[0]).to.include({ streamPath: 'live/a', isRecording: true })
    await change('/planstream/api/remove/1/live/a')
    await waitFor(() => active().length === 0)
    expect(recordings.inits).to.have.length(1)
    await before.dispose()
  })
})
