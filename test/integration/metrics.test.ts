import path from 'node:path'
import { expect } from 'chai'
import { ffprobePackets } from '../peers/ffprobe.ts'
import { makeTestFile, publishFile } from '../peers/ffmpeg.ts'
import { PeerProcess } from '../peers/process.ts'
import { checkMetrics, Prometheus } from '../peers/prometheus.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { Scrape } from '../support/scrape.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const CONFIG = `
global:
  enableauth: true
rtsp:
  publish: { key: hush }
rtmp:
  # Nobody listens there.
  pull: { live/far: { url: 'rtmp://127.0.0.1:1/live/far', maxretry: -1, retryinterval: 1h } }
`
/** api.md 3.2, `GET /api/metrics`. */
const FORMER_NAMES = [
  'cpu_usage',
  'memory_total',
  'memory_used',
  'memory_free',
  'memory_usage',
  'disk_total',
  'disk_used',
  'disk_free',
  'disk_usage',
  'net_send_speed',
  'net_receive_speed',
  'bps',
  'fps',
  'stream_count',
  'subscribe_count',
  'pull_count',
  'push_count',
  'record_count',
  'transform_count',
]

describe('the metrics', function () {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: CONFIG })
  })

  const scrape = () => Scrape.of(server.http('/metrics'))
  /** Waits until a series has a value, as what is sent and received is gathered now and then. */
  const until = (name: string, labels: Readonly<Record<string, string>>, value: number) =>
    waitFor(async () => (await scrape()).value(name, labels) === value, { what: `${name} to be ${value}` })

  it('count sessions, and the bytes that ffmpeg has sent and got', async () => {
    const file = path.join(server.folder, 'clip.flv')
    await makeTestFile({ url: file, durationSeconds: 2 })
    const sentBytes = (await ffprobePackets(file)).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    const url = server.http('/flv/live/clip.flv?secret=hush')
    const output = ['-c', 'copy', '-f', 'null', '-']
    const viewer = new PeerProcess('ffmpeg', ['-v', 'verbose', '-nostdin', '-i', url, ...output])
    await waitFor(() => server.server.streams.subscribers('live/clip').length === 1)
    expect((await scrape()).value('sluice_sessions', { protocol: 'flv', action: 'play' }) ?? 0).to.equal(0)
    const publisher = publishFile(file, server.rtmp('live/clip'))
    await until('sluice_sessions_begun_total', { protocol: 'rtmp', action: 'publish' }, 1)
    await until('sluice_sessions', { protocol: 'flv', action: 'play' }, 1)
    await publisher.succeed()
    await until('sluice_sessions', { protocol: 'rtmp', action: 'publish' }, 0)
    const metrics = await scrape()
    expect(metrics.value('sluice_received_bytes_total', { protocol: 'rtmp' })).to.equal(sentBytes)
    expect(metrics.value('sluice_sessions_begun_total', { protocol: 'rtmp', action: 'publish' })).to.equal(1)
    expect(metrics.value('sluice_sessions_ended_total', { protocol: 'rtmp', action: 'publish' })).to.equal(1)
    const [subscriber] = server.server.streams.subscribers('live/clip')
    subscriber?.close({ code: 'stopped', text: 'stopped' })
    await viewer.succeed()
    const [, gotBytes] = /Statistics: (\d+) bytes read/u.exec(viewer.stderr) ?? []
    const ended = { protocol: 'flv', action: 'play', reason: 'stopped' }
    await until('sluice_sessions_ended_total', ended, 1)
    expect((await scrape()).value('sluice_sent_bytes_total', { protocol: 'flv' })).to.equal(Number(gotBytes))
    expect((await scrape()).value('sluice_sessions', { protocol: 'flv', action: 'play' })).to.equal(0)
  })

  it('count what gates say, refusals, and answers by who answers and how', async () => {
    const publisher = new PeerProcess('ffmpeg', [
      '-v',
      'error',
      '-nostdin',
      '-f',
      'lavfi',
      '-i',
      'testsrc=duration=1:size=64x64',
      '-c:v',
      'libx264',
      '-f',
      'rtsp',
      '-rtsp_transport',
      'tcp',
      server.rtsp('live/denied?secret=wrong'),
    ])
    await publisher.exit
    await fetch(server.http('/api/no/such/operation'))
    await fetch(server.http('/flv/'))
    const metrics = await scrape()
    const denied = { gate: 'signature', outcome: 'denied' }
    const denials = metrics.value('sluice_gate_results_total', denied) ?? 0
    expect(denials).to.be.greaterThan(0)
    expect(metrics.value('sluice_gate_seconds_count', { gate: 'signature' })).to.equal(denials)
    const refused = { protocol: 'rtsp', action: 'publish', reason: 'DENIED' }
    expect(metrics.value('sluice_sessions_refused_total', refused)).to.equal(denials)
    expect(metrics.value('sluice_http_requests_total', { group: 'administration', status: '4xx' })).to.equal(1)
    expect(metrics.value('sluice_http_requests_total', { group: 'flv', status: '4xx' })).to.equal(1)
    const text = await (await fetch(server.http('/metrics'))).text()
    expect(text).not.to.match(/no\/such|hush|secret=/u)
  })

  it('tell of the process, its plugins and its database', async () => {
    const metrics = await scrape()
    expect(metrics.value('sluice_build_info')).to.equal(1)
    expect(metrics.value('process_cpu_seconds_total')).to.be.greaterThan(0)
    expect(metrics.value('sluice_gc_seconds_count')).to.be.greaterThan(0)
    expect(metrics.value('sluice_plugin_generations', { plugin: 'rtmp', state: 'loaded' })).to.equal(1)
    expect(metrics.value('sluice_plugins', { state: 'running' })).to.be.greaterThan(3)
    if (process.platform === 'linux') {
      expect(metrics.value('process_open_fds')).to.be.greaterThan(3)
      expect(metrics.value('process_max_fds')).to.be.greaterThan(metrics.value('process_open_fds') ?? 0)
    }
  })

  it('tell of pulls that fail, and of queries of the database', async () => {
    const far = { kind: 'pull', protocol: 'rtmp' }
    await until('sluice_jobs', { ...far, state: 'retrying' }, 1)
    expect((await scrape()).value('sluice_job_failures_total', far)).to.equal(1)
    expect((await scrape()).value('sluice_job_tries_total', far)).to.equal(1)
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ streamPath: 'live/one', alias: 'live/two' })
    const { status } = await server.api('/api/stream/alias', { method: 'POST', headers, body })
    expect(status).to.equal(200)
    const metrics = await scrape()
    expect(metrics.value('sluice_store_query_seconds_count', { outcome: 'done' })).to.be.greaterThan(0)
    expect(metrics.value('sluice_store_up')).to.equal(1)
  })

  it('have the names of before at /api/metrics, besides their own', async () => {
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/former') })
    const metrics = await Scrape.of(server.http('/api/metrics'))
    const own = await scrape()
    expect(own.value('sluice_sessions', { protocol: 'rtmp', action: 'publish' })).to.equal(1)
    expect(own.value('sluice_streams')).to.equal(1)
    for (const name of FORMER_NAMES) expect(metrics.types.get(name), name).to.equal('gauge')
    for (const name of own.types.keys()) expect(metrics.types.has(name), name).to.equal(true)
    expect(own.types.has('cpu_usage')).to.equal(false)
    expect(metrics.value('stream_count')).to.equal(1)
    expect(metrics.value('memory_total')).to.be.greaterThan(0)
    publisher.close()
    await until('sluice_sessions', { protocol: 'rtmp', action: 'publish' }, 0)
  })

  it('keep to the text format, as promtool checks it', async function () {
    requirePeer(this, 'prometheus')
    const response = await fetch(server.http('/metrics'))
    expect(response.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8')
    await checkMetrics(await response.text())
  })

  it('are read by Prometheus, in OpenMetrics', async function () {
    requirePeer(this, 'prometheus')
    const accept = 'application/openmetrics-text;version=1.0.0'
    const response = await fetch(server.http('/metrics'), { headers: { accept } })
    expect(response.headers.get('content-type')).to.match(/^application\/openmetrics-text; version=1\.0\.0/u)
    const series = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const targets = [new URL(server.http('/')).host]
    const prometheus = await Prometheus.start({ job_name: 'sluice', static_configs: [{ targets }] })
    const names = new Set(series.map((line) => /^[^{ ]+/u.exec(line)?.[0]))
    await waitFor(async () => (await prometheus.query('up{job="sluice"}'))[0] === 1, { what: 'a scrape that succeeds' })
    for (const name of names) expect(await prometheus.query(`count(${name})`), name).to.have.length(1)
    expect((await prometheus.query('sluice_build_info'))[0]).to.equal(1)
  })
})
