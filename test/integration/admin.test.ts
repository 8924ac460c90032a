import { networkInterfaces } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { MAX_AUTO_WINDOW_MS } from '../../core/stream/fan-out/merge-window.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { makeFlvFile, type FlvFile } from '../support/flv-file.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type ApiBody, type RunningServer } from '../support/server.ts'

const CONFIG = `
global:
  publicip: 198.51.100.7
rtmp:
  publish:
    key: publish-secret
  subscribe:
    key: subscribe-secret
  chunksize: 32768
flv:
  signed_policy:
    secret: policy-secret
`
/** spec.md, System information. */
const DESCRIPTION_FIELDS = [
  'playAddr',
  'version',
  'downloadAddr',
  'userConfig',
  'pushAddr',
  'tcp',
  'udp',
  'pullAddr',
] as const

type Plugin = {
  readonly name: string
  readonly pushAddr: readonly string[]
  readonly playAddr: readonly string[]
  readonly description: Readonly<Record<string, string>>
}
type Subscriber = { readonly id: number; readonly remoteAddr: string; readonly [key: string]: unknown }

describe('the admin API', () => {
  let server: RunningServer
  let source: FlvFile
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: CONFIG })
    source = await makeFlvFile(path.join(server.folder, 'source.flv'))
  })

  async function publish(target: string): Promise<RtmpClient> {
    const publisher = await RtmpClient.publish({ url: server.rtmp(target) })
    for (const tag of source.tags) publisher.send(tag)
    return publisher
  }

  async function get<Data>(url: string): Promise<Data> {
    const { status, body } = await server.api(url)
    expect(status, url).to.equal(200)
    expect(body, url).to.include({ code: 0, message: 'success' })
    return body.data as Data
  }

  function post(url: string) {
    return server.api(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  }

  describe('/api/sysinfo', () => {
    it('has the fields of the specification, of its types, and no others', async () => {
      const { plugins, ...info } = await get<{ plugins: Plugin[] } & Record<string, unknown>>('/api/sysinfo')
      const strings = ['startTime', 'localIP', 'publicIP', 'version', 'goVersion', 'os', 'arch']
      expect(Object.keys(info)).to.have.members([...strings, 'cpus'])
      for (const field of strings) expect(info[field], field).to.be.a('string').that.is.not.equal('')
      expect(info['cpus']).to.be.a('number').that.satisfies(Number.isInteger)
      expect(info['goVersion']).to.include(process.version)
      expect(info['publicIP']).to.equal('198.51.100.7')
      const local = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
      expect(local.map(({ address }) => address)).to.include(info['localIP'])
      expect(new Date(String(info['startTime'])).toISOString()).to.equal(info['startTime'])
      expect(plugins.map(({ name }) => name)).to.include.members(['flv', 'rtmp'])
    })

    it('describes each plugin with all eight texts, addresses as templates', async () => {
      const { plugins } = await get<{ plugins: Plugin[] }>('/api/sysinfo')
      for (const { name, description } of plugins) {
        expect(description, name).to.include.all.keys(...DESCRIPTION_FIELDS)
        for (const [field, value] of Object.entries(description)) expect(value, `${name} ${field}`).to.be.a('string')
      }
      const rtmp = plugins.find(({ name }) => name === 'rtmp')
      expect(rtmp?.description)
        .to.include({ tcp: `:${server.rtmpPort}`, http: ':0' })
        .and.not.have.any.keys('tcpTLS', 'httpTLS')
      expect(rtmp?.pushAddr[0]).to.match(/^rtmp:\/\/\{hostName\}.*\/\{streamPath\}$/u)
      const flv = plugins.find(({ name }) => name === 'flv')
      // The port is the one of the config, which asks the system for one here.
      expect(flv?.description['playAddr']).to.equal(
        'http://{hostName}:0/flv/{streamPath}.flv, ws://{hostName}:0/flv/{streamPath}.flv',
      )
      expect(flv?.description['pushAddr']).to.equal('')
    })

    it('shows what the user set, without secrets', async () => {
      const { body } = await server.api('/api/sysinfo')
      expect(JSON.stringify(body)).not.to.match(/(publish|subscribe|policy)-secret/u)
      const { plugins } = body.data as { plugins: Plugin[] }
      const rtmp = plugins.find(({ name }) => name === 'rtmp')
      expect(rtmp?.description['userConfig']).to.include('chunksize: 32768').and.include('key:')
    })

    it('leaves disabled plugins to their own list', async () => {
      const { plugins } = await get<{ plugins: Plugin[] }>('/api/sysinfo')
      expect(plugins.map(({ name }) => name)).not.to.include('demo')
      const disabled = await get<Plugin[]>('/api/plugins/disabled')
      expect(disabled.map(({ name }) => name)).to.eql(['demo', 'jsmpeg'])
      expect(disabled[0]?.description).to.include.all.keys(...DESCRIPTION_FIELDS)
      expect(disabled[0]?.description['disableReason']).to.match(/config/u)
      expect(disabled[0]?.description).to.not.have.any.keys('http', 'httpTLS')
    })
  })

  describe('streams', () => {
    it('are listed with their tracks', async () => {
      const publisher = await publish('live/listed')
      const viewer = new FlvViewer(server.http('/flv/live/listed.flv'))
      await viewer.received.wait(1)
      const { body } = await server.api('/api/stream/list')
      expect(body).to.include({ code: 0, total: 1, pageNum: 1 })
      const [stream] = body.data as Record<string, unknown>[]
      expect(stream).to.include({ path: 'live/listed', state: 2, subscribers: 1, pluginName: 'rtmp', type: 'server' })
      expect(stream?.['videoTrack']).to.include({ codec: 'h264', width: 320, height: 240 })
      expect(stream?.['audioTrack']).to.include({ codec: 'aac', sampleRate: 44_100, channels: 2 })
      expect(await get('/api/stream/info/live/listed')).to.have.all.keys(Object.keys(stream ?? {}))
      publisher.close()
      viewer.close()
      await waitFor(async () => ((await server.api('/api/stream/list')).body['total'] === 0 ? true : null))
    })

    it('have metrics, and say how their output is merged', async () => {
      const publisher = await publish('live/metered')
      const viewer = new FlvViewer(server.http('/flv/live/metered.flv'))
      await viewer.received.wait(1)
      const stream = await get<Record<string, unknown>>('/api/stream/info/live/metered')
      expect(stream['writeMergeMs']).to.be.within(0, MAX_AUTO_WINDOW_MS)
      expect(stream['eventLoopUtilization']).to.be.within(0, 1)
      const response = await fetch(server.http('/metrics'))
      const metrics = await response.text()
      expect(response.headers.get('content-type')).to.match(/^text\/plain; version=0\.0\.4/u)
      expect(metrics).to.match(/^sluice_streams 1$/mu)
      expect(metrics).to.match(/^sluice_event_loop_delay_p99_seconds [\d.e-]+$/mu)
      expect(metrics).to.match(/^sluice_stream_subscribers\{stream="live\/metered"\} 1$/mu)
      expect(metrics).to.match(
        /^sluice_track_received_bytes_total\{stream="live\/metered",kind="video",codec="h264",track="\d"\} [1-9]/mu,
      )
      const [, windowSeconds] = /^sluice_write_merge_window_seconds ([\d.]+)$/mu.exec(metrics) ?? []
      expect(Number(windowSeconds)).to.be.within(0, MAX_AUTO_WINDOW_MS / 1000)
      publisher.close()
      viewer.close()
      await waitFor(async () => ((await server.api('/api/stream/list')).body['total'] === 0 ? true : null))
    })

    it('that are not there answer 404', async () => {
      for (const target of ['/api/stream/info/live/none', '/api/no/such/operation']) {
        const { status, body } = await server.api(target)
        expect(status, target).to.equal(404)
        expect(body, target).to.include({ code: 5 })
        expect(body.message, target).to.be.a('string').that.is.not.equal('')
        expect(body['details'], target).to.eql([])
      }
      const { status, body } = await post('/api/subscribe/stop/4000000')
      expect({ status, code: body.code }).to.eql({ status: 404, code: 5 })
    })

    it('are stopped: the publisher is told and closed', async () => {
      const publisher = await publish('live/stopped')
      await waitFor(() => server.server.streams.get('live/stopped'))
      expect((await post('/api/stream/stop/live/stopped')).body).to.include({ code: 0, message: 'success' })
      await publisher.closed
      expect(publisher.statuses).to.include('NetStream.Publish.Failed')
      expect((await server.api('/api/stream/info/live/stopped')).status).to.equal(404)
    })

    it('are meant also with slashes around their path, as in media URLs', async () => {
      for (const path of ['/live/slashes', 'live/slashes/', '//live/slashes//']) {
        const publisher = await publish('live/slashes')
        await waitFor(() => server.server.streams.get('live/slashes'))
        expect(await get<{ path: string }>(`/api/stream/info/${path}`), path).to.include({ path: 'live/slashes' })
        expect((await server.api(`/api/subscribers/${path}`)).body['total'], path).to.equal(0)
        expect((await post(`/api/stream/stop/${path}`)).body.code, path).to.equal(0)
        await publisher.closed
      }
      expect((await server.api('/api/stream/info/live/../none')).status).to.equal(404)
    })

    it('are stopped by what curl -d sends', async () => {
      await publish('live/curl')
      await waitFor(() => server.server.streams.get('live/curl'))
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await server.api('/api/stream/stop/live/curl', { method: 'POST', headers, body: '{}' })
      expect([answer.status, answer.body.code]).to.eql([200, 0])
    })
  })

  describe('subscribers', () => {
    it('are listed by stream, and stopped one by one', async () => {
      const publishers = [await publish('live/a'), await publish('live/b')]
      const player = await RtmpClient.play({ url: server.rtmp('live/a') })
      const viewers = ['a', 'b'].map((name) => new FlvViewer(server.ws(`/flv/live/${name}.flv`)))
      for (const { received } of [player, ...viewers]) await received.wait(1)

      const list = (target: string) => get<Subscriber[]>(`/api/subscribers/${target}`)
      const [all, ofA, ofB] = [await list(''), await list('live/a'), await list('live/b')]
      expect([all.length, ofA.length, ofB.length]).to.eql([3, 2, 1])
      expect(ofA.map(({ pluginName }) => pluginName)).to.have.members(['rtmp', 'flv'])
      for (const subscriber of all) {
        expect(subscriber).to.include.all.keys('audioReader', 'videoReader', 'bufferTime', 'subMode', 'meta', 'type')
        expect(subscriber.remoteAddr).to.match(/127\.0\.0\.1\]?:\d+$/u)
      }

      const played = ofA.find(({ pluginName }) => pluginName === 'rtmp')
      expect((await post(`/api/subscribe/stop/${played?.id}`)).body.code).to.equal(0)
      await player.closed
      expect(player.statuses.at(-1)).to.equal('NetStream.Play.Stop')
      expect((await post(`/api/subscribe/stop/${ofB[0]?.id}`)).body.code).to.equal(0)
      await viewers[1]?.ended
      expect((await list('')).map(({ id }) => id)).to.eql(ofA.map(({ id }) => id).filter((id) => id !== played?.id))
      for (const publisher of publishers) publisher.close()
    })

    it('and streams are listed by page', async () => {
      const publishers = [await publish('live/p1'), await publish('live/p2'), await publish('live/p3')]
      const viewers = ['p1', 'p2', 'p3'].map((name) => new FlvViewer(server.http(`/flv/live/${name}.flv`)))
      for (const { received } of viewers) await received.wait(1)
      for (const path of ['/api/stream/list', '/api/subscribers', '/api/subscribers/']) {
        const pageOf = async (query: string) => (await server.api(`${path}?${query}`)).body
        const all = await pageOf('')
        expect(all, path).to.include({ total: 3, pageNum: 1, pageSize: 3 })
        const [one, two] = [await pageOf('pageNum=1&pageSize=2'), await pageOf('page_num=2&page_size=2')]
        expect(two).to.include({ total: 3, pageNum: 2, pageSize: 2 })
        const names = (body: ApiBody) =>
          (body.data as { path?: string; id?: number }[]).map((item) => item.path ?? item.id)
        expect([...names(one), ...names(two)]).to.eql(names(all))
        expect(names(two)).to.have.length(1)
        expect(names(await pageOf('pageNum=9&pageSize=2'))).to.eql([])
        expect((await server.api(`${path}?pageNum=x`)).status).to.equal(400)
      }
      for (const viewer of viewers) viewer.close()
      for (const publisher of publishers) publisher.close()
    })

    it('that wait are counted by path', async () => {
      const waiting = new FlvViewer(server.http('/flv/live/awaited.flv'))
      const counts = async () => {
        const response = await fetch(server.http('/api/stream/waitlist'))
        return ((await response.json()) as { list: Record<string, number> }).list['live/awaited']
      }
      expect(await waitFor(counts)).to.equal(1)
      waiting.close()
      await waitFor(async () => ((await counts()) === undefined ? true : null))
    })
  })

  describe('other origins', () => {
    const origin = 'https://player.example'

    it('may read answers', async () => {
      const { headers } = await server.api('/api/sysinfo', { headers: { origin } })
      expect(headers.get('access-control-allow-origin')).to.be.oneOf(['*', origin])
    })

    it('may stop nothing', async () => {
      const answer = await server.api('/api/stream/stop/live/x', { method: 'POST', headers: { origin } })
      expect([answer.status, answer.body.code]).to.eql([403, 7])
    })

    it('may ask before they write', async () => {
      const headers = { origin, 'access-control-request-method': 'POST' }
      const response = await fetch(server.http('/api/stream/stop/live/x'), { method: 'OPTIONS', headers })
      expect(response.ok).to.equal(true)
      expect(response.headers.get('access-control-allow-methods')).to.include('POST')
    })
  })

  it('tells whether the server is up', async () => {
    for (const url of ['/healthz', '/readyz']) expect((await fetch(server.http(url))).status, url).to.equal(200)
  })

  // Its keys are there to be masked.
  after(() => expect(server?.problems.filter(({ msg }) => !msg.includes('keeps nobody out'))).to.eql([]))
})
