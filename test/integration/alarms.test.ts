import { readFile, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { ALARM_TYPES } from '../../plugins/alarm/alarm-event.ts'
import type { ControlRequest } from '../gates/control-server.ts'
import { keep } from '../peers/lifetime.ts'
import { PeerProcess } from '../peers/process.ts'
import { waitFor } from '../peers/wait-for.ts'
import { NumberedPublisher } from '../robustness/support/numbered-publisher.ts'
import { publishRtsp } from '../robustness/support/rtsp-client.ts'
import { allBlocksOf, blocksOf } from '../support/doc-blocks.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { createFile, describeStores } from '../support/stores.ts'
import { alarmOf, WebhookReceiver, type AlarmBody } from '../support/webhook-receiver.ts'

const PATH = 'live/camera'
const DISK_WATCH = new URL('../outsiders/hooks/disk-watch.ts', import.meta.url)
const FPS = 25
const FRAMES = 2 * FPS

/** JSON is YAML. */
function configText(global: object, sections: object = {}): string {
  return JSON.stringify({ global, ...sections })
}

/** Publishes {@link PATH} until the server ends. */
async function publishNumbers({ rtmpPort }: RunningServer): Promise<void> {
  const publisher = await NumberedPublisher.start({ port: rtmpPort, name: 'camera', fps: FPS, sizeBytes: 100 })
  keep(publisher)
}

/** Publishes, and leaves. */
async function comeAndGo(server: RunningServer, streamPath: string): Promise<void> {
  const client = await RtmpClient.publish({ url: server.rtmp(streamPath) })
  client.close()
  await client.closed
}

async function comeAndGoByRtsp({ rtspPort }: RunningServer, streamPath: string): Promise<void> {
  const { probe } = await publishRtsp(rtspPort, streamPath)
  probe.close()
}

async function alarmList(server: RunningServer, query = ''): Promise<readonly AlarmBody[]> {
  const { body } = await server.api(`/api/alarm/list${query}`)
  expect(body).to.include({ code: 0 })
  return body.data as readonly AlarmBody[]
}

describe('webhooks of events', () => {
  it('tell of the server, of publishers, viewers, pulls and pushes', async () => {
    const receiver = await WebhookReceiver.start()
    const origin = await startServer()
    const server = await startServer({
      config: configText(
        {
          armed: true,
          publicip: '192.0.2.1',
          hook: { default: { url: receiver.url, headers: { 'X-Token': 'hush-1' } } },
        },
        {
          rtmp: {
            pull: { 'live/pulled': `${origin.rtmp(PATH)}?key=hush-2` },
            onpub: { push: { '^live/pulled$': origin.rtmp('live/pushed') } },
          },
        },
      ),
    })
    const started = await receiver.waitFor('system_start')
    expect(started).to.include({ alarmType: 0x10015, streamPath: '', serverInfo: `${hostname()} (192.0.2.1)` })
    await publishNumbers(origin)
    const pulled = await receiver.waitFor('pull_start')
    expect(pulled).to.deep.include({
      alarmType: 0x10013,
      streamPath: 'live/pulled',
      streamName: 'pulled',
      filePath: '',
    })
    expect(pulled.alarmDesc).to.include(`127.0.0.1:${origin.rtmpPort}`)
    expect(new Date(pulled.createdAt).toISOString()).to.equal(pulled.createdAt)
    expect(await receiver.waitFor('publish_start', 'live/pulled')).to.include({ alarmType: 0x10017 })
    expect(await receiver.waitFor('push_start', 'live/pulled')).to.include({ alarmType: 0x10021 })
    const viewer = new FlvViewer(server.http('/flv/live/pulled.flv'))
    await viewer.received.wait(FPS)
    expect(await receiver.waitFor('subscribe_start', 'live/pulled')).to.include({ alarmType: 0x10019 })
    viewer.close()
    const left = await receiver.waitFor('subscribe_end')
    expect(left).to.include({ alarmType: 0x10018 })
    expect(left.alarmDesc).to.match(/^played by flv from 127\.0\.0\.1:\d+: the client left$/u)
    await origin.stop()
    expect(await receiver.waitFor('publish_end', 'live/pulled')).to.include({ alarmType: 0x10016 })
    expect(await receiver.waitFor('pull_end')).to.include({ alarmType: 0x10012 })
    expect(await receiver.waitFor('push_end')).to.include({ alarmType: 0x10020 })
    expect(receiver.names.filter((name) => name.startsWith('subscribe'))).to.eql(['subscribe_start', 'subscribe_end'])
    expect(receiver.connectionCount, 'the connection is kept').to.equal(1)
    for (const { method, headers, body } of receiver.requests) {
      expect([method, headers['content-type'], headers['x-token']]).to.eql(['POST', 'application/json', 'hush-1'])
      expect(body).to.not.include('hush')
    }
    expect(JSON.stringify(server.records)).to.not.include('hush')
  })

  it('go where the section of a plugin says, and all others where global does', async () => {
    const [ofAll, ofRtmp] = [await WebhookReceiver.start(), await WebhookReceiver.start()]
    const server = await startServer({
      config: configText(
        { armed: true, hook: { default: ofAll.url } },
        { rtmp: { hook: { publish_start: { url: ofRtmp.url, method: 'PUT' } } } },
      ),
    })
    await comeAndGo(server, PATH)
    await comeAndGoByRtsp(server, 'live/rtsp')
    await ofAll.waitFor('publish_end', PATH)
    await ofAll.waitFor('publish_end', 'live/rtsp')
    expect(ofRtmp.requests.map(({ method }) => method)).to.eql(['PUT'])
    expect(ofRtmp.alarms[0]).to.include({ alarmName: 'publish_start', streamPath: PATH })
    const started = ofAll.alarms.filter(({ alarmName }) => alarmName === 'publish_start')
    expect(started.map(({ streamPath }) => streamPath)).to.eql(['live/rtsp'])
  })

  it('follow the config while streams run, and restart no plugin', async () => {
    const [first, second] = [await WebhookReceiver.start(), await WebhookReceiver.start()]
    const server = await startServer({ config: configText({ armed: true, hook: { publish_end: first.url } }) })
    const hooks = async (global: object) => {
      const before = server.records.length
      await server.writeConfig(configText(global))
      const isTaken = () => server.records.slice(before).some(({ msg }) => msg === 'the config changed')
      await waitFor(isTaken, { what: 'the config to be taken over' })
    }
    await comeAndGo(server, 'live/1')
    await first.waitFor('publish_end', 'live/1')
    await hooks({ armed: true, hook: { publish_end: second.url } })
    await comeAndGo(server, 'live/2')
    await second.waitFor('publish_end', 'live/2')
    await hooks({ armed: false, hook: { publish_end: second.url } })
    await comeAndGo(server, 'live/3')
    await waitFor(() => server.server.streams.get('live/3') === undefined, { what: 'the end of the third' })
    await hooks({ armed: true, hook: { publish_end: second.url } })
    await comeAndGo(server, 'live/4')
    await second.waitFor('publish_end', 'live/4')
    expect(first.alarms.map(({ streamPath }) => streamPath)).to.eql(['live/1'])
    expect(second.alarms.map(({ streamPath }) => streamPath)).to.eql(['live/2', 'live/4'])
    const rtmp = server.server.host.list().find(({ name }) => name === 'rtmp')
    expect(rtmp?.generation).to.equal(1)
  })

  it('tell every interval that the server is up', async () => {
    const receiver = await WebhookReceiver.start()
    const hook = { server_keep_alive: { url: receiver.url, interval: 1 } }
    await startServer({ config: configText({ armed: true, hook }) })
    await waitFor(() => receiver.names.length >= 2, { what: 'two of them' })
    expect(receiver.alarms[0]).to.include({ alarmName: 'server_keep_alive', alarmType: 0x10024 })
  })

  it('tell what plugins raise, by the default where there is no event of the name', async () => {
    const receiver = await WebhookReceiver.start()
    const plugin = `
      import { definePlugin } from 'sluice/sdk'
      const alarm = { name: 'constructor', description: 'it is none of the server', plugin: 'recorder' }
      const task = { kind: 'record', streamPath: 'live/a', plugin: 'recorder', description: 'mp4', filePath: 'a.mp4' }
      export default definePlugin({
        name: 'recorder', version: '1.0.0', notices: ['alarm', 'taskBegan', 'taskEnded'],
        setup({ hooks }) {
          hooks.notify('taskBegan', task)
          hooks.notify('alarm', alarm)
          hooks.notify('taskEnded', task, { reason: 'the disk is full', isRetried: false })
        },
      })`
    await startServer({
      config: configText(
        { plugins_dir: '.', armed: true, hook: { default: receiver.url } },
        { 'disk-watch': { maxpercent: 0 } },
      ),
      prepare: async (folder) => {
        await writeFile(path.join(folder, 'recorder.ts'), plugin)
        await writeFile(path.join(folder, 'disk-watch.ts'), await readFile(DISK_WATCH))
      },
    })
    const ended = await receiver.waitFor('record_end')
    expect(ended).to.include({ alarmType: 0x10010, alarmDesc: 'mp4: the disk is full', filePath: 'a.mp4' })
    expect(await receiver.waitFor('record_start')).to.include({
      alarmType: 0x10011,
      streamName: 'a',
      filePath: 'a.mp4',
    })
    expect(await receiver.waitFor('constructor')).to.include({ alarmType: 0 })
    const full = await receiver.waitFor('disk_full')
    expect(full).to.include({ alarmType: 0x10014, streamPath: '' })
    expect(full.alarmDesc).to.match(/^\d+ % of the disk are used$/u)
  })

  for (const [what, answer] of [
    ['hangs', 'never'],
    ['hangs up', 'cut'],
    ['fails', { status: 500 }],
  ] as const) {
    it(`keep no frame from a viewer while their service ${what}`, async () => {
      const receiver = await WebhookReceiver.start(() => answer)
      const server = await startServer({ config: configText({ armed: true, hook: { default: receiver.url } }) })
      await publishNumbers(server)
      const viewer = new FlvViewer(server.http(`/flv/${PATH}.flv`))
      const frames = (await viewer.received.wait(FRAMES)).slice(0, FRAMES)
      const timesMs = frames.map(({ dtsMs }) => dtsMs)
      expect(timesMs).to.eql(Array.from({ length: FRAMES }, (_, index) => (timesMs[0] ?? 0) + (index * 1000) / FPS))
      expect(receiver.requests).to.not.eql([])
    })
  }

  it('are told what is left when the server stops', async () => {
    const hold = Promise.withResolvers<object>()
    const isHeld = (request: ControlRequest) => alarmOf(request).alarmName === 'publish_start'
    const receiver = await WebhookReceiver.start((request) => (isHeld(request) ? hold.promise : {}))
    const hook = { default: { url: receiver.url, savealarm: true } }
    const server = await startServer({ config: configText({ armed: true, hook }) })
    await publishNumbers(server)
    await receiver.waitFor('publish_start')
    const stopping = server.server.stop('enough')
    await waitFor(() => server.server.streams.get(PATH) === undefined, { what: 'the end of the stream' })
    hold.resolve({})
    await stopping
    expect(receiver.alarms.at(-1)).to.include({ alarmName: 'publish_end' })
    expect(receiver.alarms.at(-1)?.alarmDesc).to.include('the server is stopping')
  })

  it('are told of a recording that ends as the server stops', async () => {
    const receiver = await WebhookReceiver.start()
    const record = { '^live/': { filepath: 'cams/$0' } }
    const sections = { mp4: { onpub: { record } } }
    const config = configText({ armed: true, hook: { default: receiver.url } }, sections)
    const server = await startServer({ config })
    await publishNumbers(server)
    await receiver.waitFor('record_start')
    await server.server.stop('enough')
    expect(receiver.names).to.include('record_end')
  })
})

describeStores('stored events', (databases) => {
  it('are listed, whether they were sent or not, also after a restart', async () => {
    const receiver = await WebhookReceiver.start()
    const dsn = await databases.create()
    const hook = { default: { url: receiver.url, savealarm: true } }
    const disarmed = await startServer({ config: configText({ db: { dsn }, hook }) })
    await comeAndGo(disarmed, PATH)
    await waitFor(async () => (await alarmList(disarmed)).length === 3)
    const before = await alarmList(disarmed)
    expect(before.map(({ alarmName }) => alarmName)).to.eql(['publish_end', 'publish_start', 'system_start'])
    expect(before.every(({ isSent }) => !isSent)).to.equal(true)
    expect(receiver.requests).to.eql([])
    await disarmed.stop()

    const server = await startServer({ config: configText({ db: { dsn }, hook, armed: true }) })
    const told = await receiver.waitFor('system_start')
    await waitFor(async () => (await alarmList(server))[0]?.isSent, { what: 'the row to say so' })
    const [newest, ...others] = await alarmList(server)
    expect(others).to.eql(before)
    expect(newest).to.include({ id: told.id, createdAt: told.createdAt })
  })

  it('are listed as they are asked for', async () => {
    const dsn = await databases.create()
    const hook = { publish_start: { savealarm: true }, publish_end: { savealarm: true } }
    const server = await startServer({ config: configText({ db: { dsn }, hook }) })
    for (const streamPath of ['live/1', 'live/2']) {
      await comeAndGo(server, streamPath)
      await waitFor(async () => (await alarmList(server, `?streamPath=${streamPath}`)).length === 2)
    }
    const listed = async (query: string) =>
      (await alarmList(server, query)).map(({ alarmName, streamName }) => `${alarmName} ${streamName}`)
    expect(await listed('')).to.eql(['publish_end 2', 'publish_start 2', 'publish_end 1', 'publish_start 1'])
    expect(await listed('?alarmType=65558')).to.eql(['publish_end 2', 'publish_end 1'])
    expect(await listed('?stream_name=1')).to.eql(['publish_end 1', 'publish_start 1'])
    expect(await listed('?streamPath=live/2&alarmType=0')).to.eql(['publish_end 2', 'publish_start 2'])
    const middle = (await alarmList(server))[2]?.createdAt
    expect(await listed(`?start=${middle}`)).to.have.length(3)
    expect(await listed(`?range=2020-01-01T00:00:00Z~${middle?.replace(/\.\d+/u, '')}`)).to.have.length.lessThan(4)
    expect(await listed('?range=1500000000-1500000001')).to.eql([])
    const { body } = await server.api('/api/alarm/list?pageNum=2&pageSize=3')
    expect(body).to.deep.include({ code: 0, total: 4, pageNum: 2, pageSize: 3 })
    expect(body.data).to.have.length(1)
    const wrong = await server.api('/api/alarm/list?start=soon')
    expect([wrong.status, wrong.body.code, wrong.body['total']]).to.eql([200, 400, 0])
    const badType = await server.api('/api/alarm/list?alarmType=x')
    expect([badType.status, badType.body.code]).to.eql([400, 3])
  })
})

describe('arming', () => {
  const arm = (server: RunningServer, body: object) =>
    server.api('/api/arming/set', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  it('has webhooks sent from now on, or no more, and is kept over a restart', async () => {
    const receiver = await WebhookReceiver.start()
    const dsn = await createFile()
    const config = configText({ db: { dsn }, hook: { publish_end: receiver.url, system_start: receiver.url } })
    const server = await startServer({ config })
    for (const [name, armed] of [
      ['live/1', true],
      ['live/2', false],
      ['live/3', true],
    ] as const) {
      expect((await arm(server, { armed })).body).to.eql({ code: 0, message: 'success' })
      await comeAndGo(server, name)
      await waitFor(() => server.server.streams.get(name) === undefined)
      if (armed) await receiver.waitFor('publish_end', name)
    }
    expect(receiver.names).to.eql(['publish_end', 'publish_end'])
    await server.stop()
    await startServer({ config })
    await receiver.waitFor('system_start')
  })

  it('changes nothing unless it is told which', async () => {
    const server = await startServer()
    for (const body of [{}, { armed: 'maybe' }, []]) expect((await arm(server, body)).status).to.equal(400)
  })

  it('and webhooks can be set with the config, while streams run', async () => {
    const receiver = await WebhookReceiver.start()
    const server = await startServer()
    const put = (section: string, config: object) =>
      server.api(`/config/${section}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(config),
      })
    expect((await put('global', { armed: true })).status).to.equal(200)
    const { status, body } = await put('rtmp', { hook: { publish_end: `${receiver.url}?token=hush` } })
    expect([status, JSON.stringify(body).includes('hush')]).to.eql([200, false])
    await comeAndGo(server, PATH)
    await comeAndGoByRtsp(server, 'live/rtsp')
    await waitFor(() => server.server.streams.list().length === 0)
    await receiver.waitFor('publish_end', PATH)
    expect(receiver.requests).to.have.length(1)
    expect(receiver.requests[0]?.path).to.include('?token=hush')
    expect(server.server.host.list().find(({ name }) => name === 'rtmp')?.generation).to.equal(1)
  })
})

describe('the list of events', () => {
  it('says so where there is no database', async () => {
    const server = await startServer({ config: configText({ db: { dsn: 'postgres://127.0.0.1:1/none' } }) })
    const { status, body } = await server.api('/api/alarm/list')
    expect(status).to.equal(200)
    expect(body).to.eql({ code: 500, message: 'no db', total: 0, pageNum: 0, pageSize: 0, data: [] })
  })
})

describe('docs/alarms.md', () => {
  it('has a config that is right, and a service that prints what it is told', async () => {
    const yaml = await blocksOf('docs/alarms.md', 'yaml')
    const [service = ''] = await allBlocksOf('docs/alarms.md', 'js')
    const example = new PeerProcess(process.execPath, ['--input-type=module', '-e', service.replace('9000', '0')])
    const output = () => example.stdout.toString()
    const [, port = ''] = await waitFor(() => /^port (\d+)$/mu.exec(output()), { what: 'the service' })
    const server = await startServer({ config: yaml('armed: true').replace(':9000/', `:${port}/`) })
    expect(server.problems).to.eql([])
    await waitFor(() => output().includes('system_start  the server is up'), { what: 'the service to be told' })
  })

  it('has the codes of all events', async () => {
    const page = await readFile(new URL('../../docs/alarms.md', import.meta.url), 'utf8')
    const rows = page.split('\n').filter((line) => line.startsWith('| `'))
    for (const [name, code] of Object.entries(ALARM_TYPES)) {
      const row = rows.find((line) => line.includes(`\`${name}\``)) ?? ''
      expect(row, name).to.include(`${code} (0x${code.toString(16)})`)
    }
  })
})
