import { once } from 'node:events'
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { FlvReader } from 'sluice/sdk/media'
import { openChromium } from '../peers/chromium.ts'
import { findProgram } from '../peers/peers.ts'
import { runPeer } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { makeFlvFile, type FlvFile } from '../support/flv-file.ts'
import { comparable, FlvFrames } from '../support/flv-frames.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const TARGET = '/flv/live/running.flv'

type Viewer = { readonly stream: ClientHttp2Stream; readonly received: FlvFrames }

describe('HTTP/2 of a running server', () => {
  let server: RunningServer
  let source: FlvFile
  let session: ClientHttp2Session
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({
      env: { SLUICE_GLOBAL_HTTP_LISTENADDRTLS: '127.0.0.1:0' },
      config: 'global: { subscribe: { stalltimeout: 3s } }',
    })
    source = await makeFlvFile(path.join(server.folder, 'source.flv'), { video: { gopFrames: 1000 } })
    await publish('live/running')
    session = connect(secure(''), { rejectUnauthorized: false })
    await once(session, 'connect')
  })

  after(() => session.destroy())

  function secure(target: string): string {
    return `https://127.0.0.1:${server.httpsPort}${target}`
  }

  async function publish(target: string): Promise<RtmpClient> {
    const publisher = await RtmpClient.publish({ url: server.rtmp(target) })
    for (const tag of source.tags) publisher.send(tag)
    return publisher
  }

  function play(target = TARGET): Viewer {
    const stream = session.request({ ':path': target }).on('error', () => {})
    const received = new FlvFrames()
    const reader = new FlvReader()
    stream.on('data', (bytes: Buffer) => {
      for (const tag of reader.push(bytes)) received.push(tag)
    })
    return { stream, received }
  }

  function subscribersAre(count: number): Promise<unknown> {
    const total = async () => (await server.api('/api/subscribers')).body['total'] === count
    return waitFor(total, { what: `${count} subscribers` })
  }

  it('plays HTTP-FLV to several viewers of a connection, frame by frame', async () => {
    const viewers = [play(), play(), play()]
    for (const { stream, received } of viewers) {
      const frames = await received.wait(source.frames.length)
      expect(comparable(frames)).to.eql(comparable(source.frames))
      expect(stream.sentHeaders[':path']).to.equal(TARGET)
    }
    await subscribersAre(3)
    viewers[0]?.stream.close()
    await subscribersAre(2)
    for (const { stream } of viewers) stream.close()
    await subscribersAre(0)
  })

  it('ends what a viewer plays with its connection', async () => {
    const other = connect(secure(''), { rejectUnauthorized: false })
    const stream = other.request({ ':path': TARGET }).on('error', () => {})
    await once(stream, 'data')
    await subscribersAre(1)
    other.destroy()
    await subscribersAre(0)
  })

  it('cuts off a viewer that takes nothing as slow, while the others of its connection go on', async () => {
    const publisher = await publish('live/slow')
    const slow = session.request({ ':path': '/flv/live/slow' })
    const cut = once(slow, 'error')
    await once(slow, 'response')
    const plain = connectTcp(server.httpPort, '127.0.0.1').pause()
    const reset = once(plain, 'error')
    plain.write('GET /flv/live/slow HTTP/1.1\r\nHost: x\r\n\r\n')
    const other = play('/flv/live/slow')
    await other.received.wait(source.frames.length)
    // More than the window of the stream, and what is queued is counted.
    const lastMs = Math.max(...source.frames.map(({ dtsMs }) => dtsMs)) + 40
    let round = 1
    const publishing = setInterval(() => {
      for (const tag of source.tags) {
        if (tag.type !== 18) publisher.send({ ...tag, timestampMs: tag.timestampMs + round * lastMs })
      }
      round++
    }, 50)
    const closed = () => server.records.filter(({ msg, reason }) => msg === 'play ended' && reason === 'slow')
    await waitFor(() => closed().length >= 2, { what: 'the viewers to be ended as slow' })
    clearInterval(publishing)
    // Neither may take what it got for the whole.
    expect((await cut)[0]).to.have.property('code', 'ERR_HTTP2_STREAM_ERROR')
    plain.resume()
    expect((await reset)[0]).to.have.property('code', 'ECONNRESET')
    await other.received.wait(source.frames.length * 2)
    expect(other.stream.destroyed).to.be.false
    expect(closed()).to.have.length(2)
    other.stream.close()
    await subscribersAre(0)
  })

  it('answers 404 where nobody publishes, and HEAD without a body', async () => {
    const asked = session.request({ ':path': '/flv/live/nobody.flv?waittimeout=100ms' })
    expect((await once(asked, 'response'))[0]).to.include({ ':status': 404 })
    const head = session.request({ ':path': TARGET, ':method': 'HEAD' })
    expect((await once(head, 'response'))[0]).to.include({ ':status': 200, 'content-type': 'video/x-flv' })
    await subscribersAre(0)
  })

  it('answers curl', async function () {
    const curl = findProgram('curl')
    const features = curl === undefined ? '' : (await runPeer(curl, ['--version'])).toString()
    if (curl === undefined || !features.includes('HTTP2')) return void this.skip()
    const answer = await runPeer(curl, ['-sSik', '--http2', secure('/api/sysinfo')])
    expect(answer.toString()).to.match(/^HTTP\/2 200/)
    const older = await runPeer(curl, ['-sSik', '--http1.1', secure('/api/sysinfo')])
    expect(older.toString()).to.match(/^HTTP\/1\.1 200/)
  })

  it('answers Chromium, which opens WebSockets beside it', async function () {
    requirePeer(this, 'chromium')
    const browser = await openChromium()
    const page = await browser.newPage({ ignoreHTTPSErrors: true })
    const answer = await page.goto(secure('/api/sysinfo'))
    expect(answer?.status()).to.equal(200)
    const navigation = "performance.getEntriesByType('navigation')[0].nextHopProtocol"
    expect(await page.evaluate<string>(navigation)).to.equal('h2')
    const fetched = `fetch(${JSON.stringify(TARGET)}).then(async ({ body }) => (await body.getReader().read()).value[0])`
    expect(await page.evaluate<number>(fetched)).to.equal('F'.codePointAt(0))
    const webSocket = secure(TARGET).replace('https', 'wss')
    const message = `new Promise((resolve, reject) => {
      const socket = new WebSocket(${JSON.stringify(webSocket)})
      socket.onmessage = ({ data }) => { socket.close(); resolve(data.size) }
      socket.onerror = () => reject(new Error('failed'))
    })`
    expect(await page.evaluate<number>(message)).to.be.above(0)
    await browser.close()
    await subscribersAre(0)
  })

  it('logs nothing that is worse than a note', () => {
    expect(server.problems).to.deep.equal([])
  })
})
