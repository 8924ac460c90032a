import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { splitAnnexB } from 'sluice/sdk/media'
import { MAX_WATCHES } from '../../core/admin/streams/track-operations.ts'
import { framemd5, makeTestFile, publish, type PublishInit } from '../peers/ffmpeg.ts'
import { publishRtspByFfmpeg } from '../peers/ffmpeg-rtsp.ts'
import { ffprobeStreams } from '../peers/ffprobe.ts'
import { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { listenEvents } from '../support/listen-events.ts'
import { startServer, type ApiAnswer, type RunningServer } from '../support/server.ts'

const SIZE = '160x120'
const GOP_FRAMES = 50
const FRAME_MS = 40

type Frame = {
  readonly sequence: number
  readonly timestamp: number
  readonly writeTime: string
  readonly keyFrame: boolean
  readonly wrap: readonly { readonly timestamp: number; readonly size: number; readonly data: string }[]
}
type Snapshot = {
  readonly ring: readonly Frame[]
  readonly ringDataSize: number
  readonly reader: Readonly<Record<string, number>>
  readonly memory: readonly { readonly size: number; readonly list: readonly { s: number; e: number }[] }[]
}
type Summary = {
  readonly [name: string]: unknown
  readonly memory: Readonly<Record<string, unknown>>
  readonly netWork: readonly Readonly<Record<string, unknown>>[]
}
type Subscriber = {
  readonly id: number
  readonly type: string
  readonly audioReader: Readonly<Record<string, number>> | null
  readonly videoReader: Readonly<Record<string, number>> | null
  readonly [name: string]: unknown
}
type V6Page<Item> = { readonly data: readonly Item[]; readonly meta: Readonly<Record<string, number>> }

describe('what operators see of a stream', () => {
  let server: RunningServer
  let source: PeerProcess

  before(async function () {
    requirePeer(this, 'ffmpeg')
    const film = "mp4: { publish: { delayclosetimeout: 1s }, onsub: { pull: { '^film/.+$': film.mp4 } } }"
    const prepare = (folder: string) =>
      makeTestFile({ url: path.join(folder, 'film.mp4'), durationSeconds: 60, video: { size: '64x64' } })
    server = await startServer({ prepare })
    await server.writeConfig(`global: { pull: { folders: ['${server.folder}'] } }\n${film}\n`)
    await server.server.reload()
    source = await start('live/a')
  })
  // What the test before has left may still be on its way out.
  beforeEach(async () => {
    const { index } = server.server.streams
    await waitFor(() => index.published.size === 1 && index.subscribers.size === 0, { what: 'all others to be gone' })
  })
  after(() => expect(server?.problems).to.eql([]))

  /** Publishes with ffmpeg until the test is over; resolves when the stream has pictures. */
  async function start(streamPath: string, init: Partial<PublishInit> = {}): Promise<PeerProcess> {
    const video = { size: SIZE, gopFrames: GOP_FRAMES }
    const peer = publish({ url: server.rtmp(streamPath), durationSeconds: 600, video, ...init })
    const kept = () => server.server.streams.get(streamPath)?.fanOut.kept.length
    await waitFor(() => (kept() ?? 0) > 0, { what: `media of ${streamPath}` })
    return peer
  }

  async function kill(peer: PeerProcess): Promise<void> {
    peer.signal('SIGKILL')
    await peer.exit
  }

  async function get<Data>(url: string): Promise<Data> {
    const { status, body } = await server.api(url)
    expect(status, `${url}: ${body.message}`).to.equal(200)
    return body.data as Data
  }

  function post(url: string, body: object = {}): Promise<ApiAnswer> {
    const headers = { 'content-type': 'application/json' }
    return server.api(url, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  async function bare<Answer>(url: string, init?: RequestInit): Promise<Answer> {
    const response = await fetch(server.http(url), init)
    expect(response.status, url).to.equal(200)
    return (await response.json()) as Answer
  }

  describe('/api/summary', () => {
    it('has all fields, bare, with the sessions that there are', async () => {
      const before = await bare<Summary>('/api/summary')
      expect(Object.keys(before)).to.eql([
        'address',
        'memory',
        'cpuUsage',
        'hardDisk',
        'netWork',
        'streamCount',
        'subscribeCount',
        'pullCount',
        'pushCount',
        'recordCount',
        'transformCount',
      ])
      for (const usage of [before.memory, before['hardDisk'] as Summary['memory']]) {
        expect(Object.keys(usage)).to.eql(['total', 'free', 'used', 'usage'])
        expect(Number(usage['total'])).to.be.greaterThan(0)
        expect(usage['total']).to.be.a('string')
        expect(usage['usage']).to.be.within(0, 100)
      }
      expect(before['cpuUsage']).to.be.within(0, 100)
      expect(before.netWork.find(({ name }) => name === 'lo')?.['receive']).to.match(/^\d+$/u)
      const viewers = ['live/a', 'film/counted'].map((name) => new FlvViewer(server.http(`/flv/${name}.flv`)))
      for (const { received } of viewers) await received.wait(1)
      const after = await bare<Summary>('/api/summary')
      const grown = ['streamCount', 'subscribeCount', 'pullCount', 'pushCount', 'transformCount'].map(
        (name) => Number(after[name]) - Number(before[name]),
      )
      expect(grown).to.eql([1, 2, 1, 0, 0])
      for (const viewer of viewers) viewer.close()
    })

    it('comes as events, as far apart as asked for, and as YAML', async () => {
      const events = await listenEvents<Summary>(server.http('/api/summary/sse?interval=100ms'), 3)
      for (const event of events) expect(event).to.include.all.keys('memory', 'netWork', 'streamCount')
      const yaml = await fetch(server.http('/api/summary?format=yaml'))
      expect(await yaml.text()).to.match(/^address: .*\nmemory:\n {2}total: "\d+"$/mu)
      expect((await server.api('/api/summary/sse?interval=soon')).body.message).to.include('interval')
    })
  })

  describe('a subscriber', () => {
    it('has all fields, and readers that go along with the stream, by bytes and by units', async () => {
      const viewer = new FlvViewer(server.http('/flv/live/a.flv'))
      const reader = viewByRtsp()
      await viewer.received.wait(10)
      const listed = await waitFor(async () => {
        const all = await get<Subscriber[]>('/api/subscribers/live/a')
        return all.length === 2 && all.every(({ videoReader }) => videoReader?.['state'] === 1) ? all : undefined
      })
      for (const { id, videoReader, audioReader, ...fields } of listed) {
        expect(id).to.be.greaterThan(0)
        expect(fields).to.include({ subMode: 0, syncMode: 1, bufferTime: '0s', type: 'server' })
        for (const one of [videoReader, audioReader]) {
          expect(Object.keys(one ?? {})).to.eql(['sequence', 'timestamp', 'delay', 'state', 'bps'])
          expect(one?.['sequence']).to.be.greaterThan(0)
          expect(one?.['delay']).to.be.within(0, one?.['sequence'] ?? 0)
        }
      }
      const [first] = listed
      const later = () => get<Subscriber[]>('/api/subscribers/live/a')
      await waitFor(async () => {
        const reader = (await later()).find(({ id }) => id === first?.id)?.videoReader
        return (reader?.['timestamp'] ?? 0) > (first?.videoReader?.['timestamp'] ?? 0)
      })
      await waitFor(async () => {
        const { videoTrack } = await get<{ videoTrack: Record<string, number> }>('/api/stream/info/live/a')
        return videoTrack['bps']! > 0 && videoTrack['bpsOut'] === videoTrack['bps']! * 2
      })
      expect(await get('/api/stream/info/live/a')).to.deep.include({ subscribers: 2, recording: [] })
      viewer.close()
      await kill(reader)
    })

    /** A viewer that takes units. */
    function viewByRtsp(): PeerProcess {
      const file = path.join(server.folder, 'viewer.mkv')
      return new PeerProcess('ffmpeg', [
        '-v',
        'error',
        '-nostdin',
        '-rtsp_transport',
        'tcp',
        '-i',
        server.rtsp('live/a'),
        '-c',
        'copy',
        '-y',
        file,
      ])
    }

    it('is stopped by its id alone, or with its stream, also as it was written before', async () => {
      for (const [url, body] of [
        ['/api/subscribe/stop/{id}', { streamPath: '/live/a' }],
        ['/api/subscribe/stop/{id}', {}],
        ['/api/stop/subscribe/{id}', { stream_path: 'live/a' }],
      ] as const) {
        const viewer = new FlvViewer(server.http('/flv/live/a.flv'))
        await viewer.received.wait(1)
        const [subscriber] = await get<Subscriber[]>('/api/subscribers/live/a')
        const stop = url.replace('{id}', String(subscriber?.id))
        const other = await post(stop, { streamPath: 'live/b' })
        expect([other.status, other.body.code]).to.eql([404, 5])
        expect((await post(stop, body)).body).to.include({ code: 0 })
        await viewer.ended
        expect((await post(stop, body)).status).to.equal(404)
      }
    })

    it('that is not there, or has no number, is told of', async () => {
      for (const url of ['/api/subscribe/stop/4000000', '/api/subscribe/change/4000000/live/a']) {
        const { status, body } = await post(url)
        expect([status, body.code, body.message], url).to.eql([404, 5, 'not found'])
      }
      for (const url of ['/api/subscribe/stop/x', '/api/subscribe/stop/-1', '/api/subscribe/stop/4294967296']) {
        const { status, body } = await post(url)
        expect([status, body.code], url).to.eql([400, 3])
        expect(body.message, url).to.match(/^id must be/u)
      }
      const { status, body } = await post('/api/subscribe/stop/1', { streamPath: 7 })
      expect([status, body.message]).to.eql([404, 'not found'])
    })
  })

  describe('a track', () => {
    it('is shown with what is kept of it, and with the places of its subscribers', async () => {
      const viewer = new FlvViewer(server.http('/flv/live/a.flv'))
      await viewer.received.wait(5)
      const shot = await waitFor(async () => {
        const snapshot = await get<Snapshot>('/api/videotrack/snap/live/a')
        return snapshot.ring.length > 5 ? snapshot : undefined
      })
      const { ring, ringDataSize, reader, memory } = shot
      expect(ring.map(({ keyFrame }) => keyFrame)).to.eql(ring.map((_, index) => index === 0))
      expect(ring.map(({ sequence }) => sequence - ring[0]!.sequence)).to.eql(ring.map((_, index) => index))
      expect(ring[0]?.sequence).to.satisfy((first: number) => (first - 1) % GOP_FRAMES === 0)
      for (const [index, { timestamp, writeTime, wrap }] of ring.entries()) {
        if (index > 0) expect(timestamp - ring[index - 1]!.timestamp).to.be.within(FRAME_MS - 2, FRAME_MS + 2)
        expect(Math.abs(Date.parse(writeTime) - Date.now())).to.be.lessThan(60_000)
        expect(wrap).to.have.length(1)
        expect(wrap[0]?.data).to.match(index === 0 ? /(?:^| )5(?: |$)/u : /^(?:6 )?1(?: 1)*$/u)
      }
      expect(ringDataSize).to.equal(ring.reduce((sum, { wrap }) => sum + (wrap[0]?.size ?? 0), 0))
      expect(memory).to.eql([{ size: ringDataSize, list: [{ s: 0, e: ringDataSize }] }])
      const [subscriber] = await get<Subscriber[]>('/api/subscribers/live/a')
      expect(Object.keys(reader)).to.eql([String(subscriber?.id)])
      expect(reader[subscriber?.id ?? 0]).to.be.within(1, ring.at(-1)!.sequence)
      expect(await get<Snapshot>('/api/stream/snap/live/a')).to.have.all.keys(Object.keys(shot))
      const sound = await waitFor(async () => {
        const snapshot = await get<Snapshot>('/api/audiotrack/snap/live/a')
        return snapshot.ring.length > 1 ? snapshot : undefined
      })
      // The first bytes of AAC frames.
      for (const { wrap } of sound.ring) expect(wrap[0]?.data).to.match(/^(?:[0-9a-f]{2}){1,16}$/u)
      viewer.close()
    })

    it('tells its frames as they come, each once, and is no viewer', async () => {
      for (const [kind, step] of [
        ['video', FRAME_MS],
        ['audio', 1024 / 44.1],
      ] as const) {
        const frames = await listenEvents<Frame>(server.http(`/api/${kind}track/sse/live/a`), 2 * GOP_FRAMES)
        expect(frames.map(({ sequence }) => sequence - frames[0]!.sequence)).to.eql(frames.map((_, index) => index))
        for (const [index, { timestamp, keyFrame, sequence }] of frames.entries()) {
          if (kind === 'video') expect(keyFrame).to.equal((sequence - 1) % GOP_FRAMES === 0)
          if (index > 0) expect(timestamp - frames[index - 1]!.timestamp).to.be.within(step - 3, step + 3)
        }
      }
      const leaving = new AbortController()
      const listening = await fetch(server.http('/api/videotrack/sse/live/a'), { signal: leaving.signal })
      await listening.body?.getReader().read()
      const info = await get<Record<string, unknown>>('/api/stream/info/live/a')
      expect(info).to.include({ subscribers: 0 })
      // Track added, or waiting for subscribers, where the tests before have had some.
      expect(info['state']).to.be.oneOf([1, 3])
      expect(await get('/api/subscribers/live/a')).to.eql([])
      leaving.abort()
    })

    it('ends its events with the stream, which does not last for their sake', async () => {
      const peer = await start('live/ending')
      const text = fetch(server.http('/api/videotrack/sse/live/ending')).then((response) => response.text())
      const watched = () =>
        fetch(server.http('/api/videotrack/sse/live/ending'), { headers: { accept: 'application/json' } })
      expect((await watched()).status).to.equal(200)
      expect((await post('/api/stream/stop/live/ending')).body).to.include({ code: 0 })
      const events = (await text).trim().split('\n\n')
      for (const event of events) expect(event).to.match(/^data: \{"sequence":\d+,/u)
      expect((await watched()).status).to.equal(404)
      await kill(peer)
    })

    it('tells its frames to no more clients at a time than there is room for', async () => {
      const url = server.http('/api/videotrack/sse/live/a')
      const leaving = new AbortController()
      const watch = () => fetch(url, { signal: leaving.signal })
      const answers = await Promise.all(Array.from({ length: MAX_WATCHES }, watch))
      expect(new Set(answers.map(({ status }) => status))).to.eql(new Set([200]))
      const { status, body } = await server.api('/api/audiotrack/sse/live/a')
      expect([status, body.message]).to.eql([503, 'no more than 100 clients are told frames at a time'])
      leaving.abort()
      await waitFor(async () => (await fetch(url, { headers: { accept: 'application/json' } })).status === 200)
    })

    it('that is not there is told of, as is its stream', async () => {
      const peer = await start('live/sound', { video: false })
      const urls = [
        'videotrack/snap',
        'audiotrack/snap',
        'videotrack/sse',
        'audiotrack/sse',
        'stream/snap',
        'stream/annexb',
      ]
      for (const url of urls) {
        const { status, body } = await server.api(`/api/${url}/live/none`)
        expect([status, body.code, body.message], url).to.eql([404, 5, 'not found'])
        expect((await server.api(`/api/${url}/live/..`)).status, url).to.be.oneOf([400, 404])
      }
      for (const url of ['videotrack/snap', 'videotrack/sse', 'stream/annexb']) {
        const { status, body } = await server.api(`/api/${url}/live/sound`)
        expect([status, body.message], url).to.eql([404, 'no track'])
      }
      expect((await get<Snapshot>('/api/audiotrack/snap/live/sound')).ring).to.have.length(1)
      await kill(peer)
    })
  })

  describe('/api/stream/annexb', () => {
    async function expectPicture(streamPath: string, raw: 'h264' | 'hevc', first: readonly string[]): Promise<void> {
      const response = await fetch(server.http(`/api/stream/annexb/${streamPath}`))
      expect([response.status, response.headers.get('content-type')]).to.eql([200, 'application/octet-stream'])
      const bytes = Buffer.from(await response.arrayBuffer())
      const nalus = splitAnnexB(bytes).map((nalu) => nalu.subarray(0, 1).toString('hex'))
      expect(nalus.slice(0, first.length)).to.eql(first)
      const file = path.join(server.folder, `picture.${raw}`)
      await writeFile(file, bytes)
      expect(await framemd5(file, { input: ['-f', raw] })).to.have.length(1)
      expect(await ffprobeStreams(file, { input: ['-f', raw] })).to.deep.include({
        kind: 'video',
        codec: raw,
        width: 160,
        height: 120,
        sampleRate: 0,
        channels: 0,
      })
    }

    it('is the newest keyframe of H.264, which decodes by itself', () =>
      expectPicture('live/a', 'h264', ['09', '67', '68']))

    it('is the newest keyframe of H.265, which decodes by itself', async () => {
      const file = path.join(server.folder, 'h265.mp4')
      await makeTestFile({ url: file, durationSeconds: 20, video: { encoder: 'libx265', size: SIZE } })
      const peer = publishRtspByFfmpeg(file, server.rtsp('live/h265'), 'tcp')
      await waitFor(() => (server.server.streams.get('live/h265')?.fanOut.kept.length ?? 0) > 0)
      // Delimiter, VPS, SPS, PPS.
      await expectPicture('live/h265', 'hevc', ['46', '40', '42', '44'])
      await kill(peer)
    })
  })

  describe('/api/stream/position/sse', () => {
    const positions = (streamPath: string, count: number) =>
      listenEvents<string>(server.http(`/api/stream/position/sse?streamPath=${streamPath}&interval=100ms`), count)

    it('tells where a file is, by the same times as it is sought by', async () => {
      const viewer = new FlvViewer(server.http('/flv/film/position.flv'))
      await viewer.received.wait(5)
      await post('/api/stream/seek/film/position', { timeStamp: 30 })
      const times = (await positions('film/position', 5)).map((time) => Date.parse(time) / 1000)
      for (const [index, seconds] of times.entries()) {
        expect(seconds).to.be.within(index === 0 ? 28 : times[index - 1]!, 60)
      }
      viewer.close()
    })

    it('tells of no time where there is none', async () => {
      expect(await positions('live/a', 2)).to.eql(['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'])
      expect(await positions('live/none', 1)).to.eql(['0001-01-01T00:00:00Z'])
      const { status, body } = await server.api('/api/stream/position/sse')
      expect([status, body.message]).to.eql([400, 'streamPath is missing'])
    })
  })

  describe('/v6/api/streams', () => {
    const problem = async (url: string, init?: RequestInit) => {
      const response = await fetch(server.http(url), init)
      expect(response.headers.get('content-type'), url).to.match(/^application\/problem\+json/u)
      const { status, title, detail, type } = (await response.json()) as Record<string, unknown>
      expect([status, type], url).to.eql([response.status, 'about:blank'])
      return `${response.status} ${String(title)}: ${String(detail)}`
    }

    it('lists streams page by page, in snake_case and bare', async () => {
      const peers = [await start('live/p1'), await start('live/p2')]
      const whole = await bare<V6Page<{ path: string }>>('/v6/api/streams')
      expect(whole.meta).to.eql({ page: 1, per_page: 20, total: whole.data.length })
      const paths: string[] = []
      for (let page = 1; page <= whole.data.length; page++) {
        const { data, meta } = await bare<typeof whole>(`/v6/api/streams?page=${page}&per_page=1`)
        expect(meta).to.eql({ page, per_page: 1, total: whole.data.length })
        paths.push(...data.map((stream) => stream.path))
      }
      expect(paths).to.eql(whole.data.map((stream) => stream.path))
      expect(paths).to.include.members(['live/a', 'live/p1', 'live/p2'])
      expect(await bare(`/v6/api/streams?page=999`)).to.deep.include({ data: [] })
      for (const peer of peers) await kill(peer)
    })

    it('has one stream, its path percent-encoded or as it is, and its subscribers', async () => {
      const viewer = new FlvViewer(server.http('/flv/live/a.flv'))
      await viewer.received.wait(1)
      for (const url of ['/v6/api/streams/live%2Fa', '/v6/api/streams/live/a']) {
        const stream = await bare<Record<string, unknown>>(url)
        expect(stream).to.include({
          path: 'live/a',
          state: 2,
          subscribers: 1,
          plugin_name: 'rtmp',
          stream_type: 'server',
        })
        expect(stream['start_time_ms']).to.be.within(Date.now() - 600_000, Date.now())
        expect(stream['video_track']).to.include({ codec: 'h264', width: 160, height: 120 })
        expect(Object.keys(stream['video_track'] ?? {})).to.eql(['codec', 'bps', 'fps', 'width', 'height'])
        expect(stream['audio_track']).to.include({ codec: 'aac', sample_rate: 44_100, channels: 2 })
      }
      const { data, meta } = await bare<V6Page<Record<string, unknown>>>('/v6/api/streams/live%2Fa/subscribers')
      expect(meta).to.eql({ page: 1, per_page: 20, total: 1 })
      expect(data[0]).to.include({ stream_path: 'live/a', plugin_name: 'flv', subscriber_type: 'server' })
      viewer.close()
    })

    it('stops a stream, with nothing to say', async () => {
      const peer = await start('live/deleted')
      const response = await fetch(server.http('/v6/api/streams/live%2Fdeleted'), { method: 'DELETE' })
      expect([response.status, await response.text()]).to.eql([204, ''])
      await kill(peer)
      const again = await problem('/v6/api/streams/live/deleted', { method: 'DELETE' })
      expect(again).to.equal('404 Not Found: there is no stream live/deleted')
    })

    it('answers what is wrong with problem details, and leaves its neighbour alone', async () => {
      expect(await problem('/v6/api/streams/live%2Fnone')).to.equal('404 Not Found: there is no stream live/none')
      expect(await problem('/v6/api/streams/live%2Fnone/subscribers')).to.match(/^404 /u)
      expect(await problem('/v6/api/streams?page=x')).to.equal('400 Bad Request: page must be an integer')
      expect(await problem('/v6/api/streams?per_page=1001')).to.equal('400 Bad Request: per_page must be <= 1000')
      expect(await problem('/v6/api/streams?per_page=0')).to.match(/^400 Bad Request: per_page/u)
      const secret = await server.api('/v6/api/streams/secret?stream_path=live/a')
      expect([secret.status, secret.body.message]).to.eql([404, 'global has no publish.key'])
    })
  })

  it('is stopped without a word where it is not there', async () => {
    for (const url of ['/api/stream/stop/live/none', '/api/stream/stop//live/none/']) {
      expect((await post(url)).body, url).to.eql({ code: 0, message: 'success' })
    }
  })

  after(() => source && kill(source))
})
