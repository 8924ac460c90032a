import { hostname } from 'node:os'
import { expect } from 'chai'
import { framemd5, publish } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { describeStores } from '../support/stores.ts'
import { WebhookReceiver, type AlarmBody } from '../support/webhook-receiver.ts'

const PATH = 'live/camera'
const SECONDS = 5
const FPS = 25

/** JSON is YAML. */
function configText(global: object, sections: object = {}): string {
  return JSON.stringify({ global, ...sections })
}

async function alarmList(server: RunningServer, query = ''): Promise<readonly AlarmBody[]> {
  const { body } = await server.api(`/api/alarm/list${query}`)
  expect(body).to.include({ code: 0 })
  return body.data as readonly AlarmBody[]
}

describe('webhooks of events', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  it('tell of the server, of publishers, viewers, pulls and pushes', async () => {
    const receiver = await WebhookReceiver.start()
    const origin = await startServer()
    const server = await startServer({
      config: configText(
        { armed: true, publicip: '192.0.2.1', hook: { default: { url: receiver.url, headers: { 'X-Token': 'hush-1' } } } },
        { rtmp: { pull: { 'live/pulled': `${origin.rtmp(PATH)}?key=hush-2` }, onpub: { push: { '^live/pulled$': origin.rtmp('live/pushed') } } } },
      ),
    })
    const started = await receiver.waitFor('system_start')
    expect(started).to.include({ alarmType: 0x10015, streamPath: '', serverInfo: `${hostname()} (192.0.2.1)` })
    publish({ url: origin.rtmp(PATH), durationSeconds: 3600 })
    const pulled = await receiver.waitFor('pull_start')
    expect(pulled).to.deep.include({ alarmType: 0x10013, streamPath: 'live/pulled', streamName: 'pulled', filePath: '' })
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
})
