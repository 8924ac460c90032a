import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connect, type Socket as NetSocket } from 'node:net'
import { expect } from 'chai'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { expectNoGrowth, IN_PASSING } from '../scale/expect-no-growth.ts'
import { openPortPair } from '../support/rtsp/port-pair.ts'
import { RtspProbe } from '../support/rtsp/rtsp-probe.ts'
import { isSoak } from '../support/soak.ts'
import { attackedServer } from './support/attacked-server.ts'
import { BadClient } from './support/bad-client.ts'
import { HEALTHY_VIEWERS, HealthySession } from './support/healthy-session.ts'
import { noise } from './support/noise.ts'
import { NumberedPublisher } from './support/numbered-publisher.ts'
import {
  expectDone,
  INTERLEAVED,
  pictureNumber,
  picturePacket,
  playRtsp,
  publishRtsp,
  rtspUrl,
  sessionDescription,
  VIDEO_SDP,
} from './support/rtsp-client.ts'
import { ServerProcess } from './support/server-process.ts'

const CONFIG = `
global:
  publish: { publishtimeout: 4s }
  subscribe: { waittimeout: 2s }
`
/** Nobody else comes from there, while the kernel gives the ports of those that have ended to others. */
const SILENT_ADDRESS = '127.0.0.2'
/** The longest that a connection may be silent, and as much again. */
const SILENT_WITHIN_MS = 60_000
const MIB = 1024 * 1024
const URL = 'rtsp://127.0.0.1/live/a'

function request(method: string, headers: string, body = '', url = URL): string {
  return `${method} ${url} RTSP/1.0\r\nCSeq: 1\r\n${headers}\r\n${body}`
}

function interleaved(channel: number, payload: Buffer): Buffer {
  const head = Buffer.of(0x24, channel, 0, 0)
  head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}

const BROKEN: readonly { readonly name: string; readonly bytes: string | Buffer; readonly reason: RegExp }[] = [
  { name: 'random bytes', bytes: noise(MIB), reason: /^malformed: bytes .* where an RTSP message should start/ },
  { name: 'a line without end', bytes: 'A'.repeat(MIB), reason: /^malformed: RTSP head above/ },
  { name: 'a huge header', bytes: request('OPTIONS', `X: ${'x'.repeat(MIB)}\r\n`), reason: /^malformed: RTSP head/ },
  { name: 'a thousand headers', bytes: request('OPTIONS', 'X: y\r\n'.repeat(1000)), reason: /more than 64 RTSP/ },
  {
    name: 'an SDP of 1 MB',
    bytes: request('ANNOUNCE', `Content-Length: ${MIB}\r\n`, VIDEO_SDP.padEnd(MIB, 'a=x\r\n')),
    reason: /^malformed: RTSP body of 1048576 bytes/,
  },
  {
    name: 'a body that claims more than there is',
    bytes: request('ANNOUNCE', `Content-Length: 999999999\r\n`),
    reason: /^malformed: RTSP body of/,
  },
  {
    name: 'a body of a negative size',
    bytes: request('ANNOUNCE', 'Content-Length: -1\r\n'),
    reason: /^malformed: Content-Length/,
  },
  {
    name: 'a body of two sizes',
    bytes: request('ANNOUNCE', 'Content-Length: 1\r\nContent-Length: 2\r\n'),
    reason: /^malformed: two different values/,
  },
  { name: 'an answer that is none', bytes: 'RTSP/1.0 OK\r\n\r\n', reason: /^malformed/ },
  { name: 'a method without end', bytes: request('x'.repeat(8000), ''), reason: /^malformed/ },
  { name: 'another protocol', bytes: 'EHLO example.org\r\n\r\n', reason: /^malformed/ },
]

const UNFINISHED: readonly { readonly name: string; readonly bytes: string | Buffer }[] = [
  { name: 'half a start line', bytes: 'DESCRIBE rtsp://127' },
  { name: 'half a head', bytes: 'DESCRIBE rtsp://127.0.0.1/a RTSP/1.0\r\nCSeq: 1\r\nUser-Ag' },
  { name: 'half a body', bytes: request('ANNOUNCE', 'Content-Length: 60000\r\n', VIDEO_SDP) },
  { name: 'half the head of a frame', bytes: Buffer.of(0x24, 0, 0xff) },
  { name: 'half a frame', bytes: interleaved(0, noise(60_000)).subarray(0, 30_000) },
  { name: 'half of HTTP', bytes: 'GET / HTTP/1.1\r\nHost: a\r\n' },
]

const REFUSED: readonly { readonly name: string; readonly text: string; readonly status: number }[] = [
  { name: 'a method that there is not', text: request('X-EXPLODE', ''), status: 501 },
  { name: 'no number', text: `OPTIONS ${URL} RTSP/1.0\r\n\r\n`, status: 400 },
  { name: 'a number that is none', text: `OPTIONS ${URL} RTSP/1.0\r\nCSeq: ${'9'.repeat(5000)}\r\n\r\n`, status: 400 },
  { name: 'another version', text: `OPTIONS ${URL} RTSP/2.0\r\nCSeq: 1\r\n\r\n`, status: 505 },
  { name: 'no stream', text: 'DESCRIBE * RTSP/1.0\r\nCSeq: 1\r\n\r\n', status: 400 },
  { name: 'a path with ..', text: 'DESCRIBE rtsp://a/../../etc/passwd RTSP/1.0\r\nCSeq: 1\r\n\r\n', status: 400 },
  { name: 'a path too long', text: `DESCRIBE rtsp://a/${'x'.repeat(10_000)} RTSP/1.0\r\nCSeq: 1\r\n\r\n`, status: 400 },
  { name: 'an SDP of noise', text: announce(noise(60_000).toString('hex').slice(0, 60_000)), status: 400 },
  { name: 'an SDP without media', text: announce(sessionDescription([])), status: 400 },
  { name: 'an SDP of nothing that is known', text: announce(sessionDescription([unknownMedia(50_000)])), status: 415 },
  {
    name: 'an SDP of a hundred medias',
    text: announce(sessionDescription(Array(100).fill('m=audio 0 RTP/AVP 0\r\n') as string[])),
    status: 400,
  },
  { name: 'a session that there is not', text: request('PLAY', 'Session: nobody\r\n'), status: 454 },
  { name: 'a session of an endless name', text: request('PLAY', `Session: ${'x'.repeat(9000)}\r\n`), status: 454 },
  { name: 'a transport that is none', text: request('SETUP', `Transport: ${'RTP,'.repeat(2000)}\r\n`), status: 461 },
]

function announce(description: string): string {
  return request('ANNOUNCE', `Content-Length: ${Buffer.byteLength(description)}\r\n`, description)
}

/** A media in a format that nobody knows. */
function unknownMedia(nameLength: number): string {
  return `m=video 0 RTP/AVP 96\r\na=rtpmap:96 ${'X'.repeat(nameLength)}/90000\r\n`
}

function descriptorLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files: { soft: number | string } } }
  const soft = Number(userLimits?.open_files.soft)
  return Number.isNaN(soft) ? Infinity : soft
}

async function udpSocket(address: string, port = 0): Promise<Socket> {
  const socket = createSocket('udp4')
  keep({ close: () => void socket.close() })
  const listening = once(socket, 'listening')
  socket.bind(port, address)
  await listening
  return socket
}

/** Ways to occupy a connection with nothing. */
const SILENT: readonly { readonly name: string; readonly text: string; readonly drip?: string | Buffer }[] = [
  { name: 'nothing', text: '' },
  { name: 'half a head', text: 'DESCRIBE rtsp://' },
  { name: 'headers that drip', text: 'OPTIONS * RTSP/1.0\r\n', drip: 'X: y\r\n' },
  { name: 'frames of no session', text: '', drip: interleaved(0, Buffer.alloc(12)) },
  { name: 'a request, and then nothing', text: request('OPTIONS', '') },
  { name: 'half a tunnel', text: 'GET /a HTTP/1.0\r\nx-sessioncookie: silent\r\n\r\n' },
]
const DRIP_MS = 1000
/** In a soak as many as three quarters of the descriptors of a process allow, and ten thousand at most. */
const SILENT_COUNT = Math.min(isSoak ? 10_000 : 3000, Math.floor(descriptorLimit() * 0.75))
const SILENT_OPENED_AT_ONCE = 100
const SILENT_OPENED_WITHIN_MS = 10_000
/** Of memory for each. */
const MAX_SILENT_BYTES = 20_000

describe('RTSP and bad clients', () => {
  let server: ServerProcess
  attackedServer(CONFIG, (started) => (server = started))

  /** They are closed while the other tests run. */
  const silent: BadClient[] = []
  before(async () => {
    for (const { text, drip } of SILENT) {
      const client = await BadClient.dial(server.ports.rtsp, SILENT_ADDRESS)
      client.socket.write(text)
      const timer = setInterval(() => drip !== undefined && client.socket.write(drip), DRIP_MS)
      client.socket.once('close', () => clearInterval(timer))
      silent.push(client)
    }
  })

  /** A connection that has been read from, so that a test can wait for its end. */
  async function connected(): Promise<{ readonly bad: BadClient; readonly probe: RtspProbe }> {
    const since = new Date().toISOString()
    const probe = await RtspProbe.connect({ port: server.ports.rtsp })
    return { bad: new BadClient(probe.socket, since), probe }
  }

  async function publishing(name: string): Promise<{ readonly bad: BadClient; readonly probe: RtspProbe }> {
    const since = new Date().toISOString()
    const { probe } = await publishRtsp(server.ports.rtsp, `live/${name}`)
    return { bad: new BadClient(probe.socket, since), probe }
  }

  for (const { name, bytes, reason } of BROKEN) {
    it(`ends one that sends ${name}`, async () => {
      const client = await BadClient.dial(server.ports.rtsp)
      client.socket.write(bytes)
      await client.expectEnd(server, reason)
    })
  }

  for (const { name, bytes } of UNFINISHED) {
    it(`ends one that leaves after ${name}`, async () => {
      const client = await BadClient.dial(server.ports.rtsp)
      client.socket.end(bytes)
      await client.expectEnd(server, /left/)
    })
  }

  for (const { name, text, status } of REFUSED) {
    it(`refuses ${name}, and goes on`, async () => {
      const { bad, probe } = await connected()
      probe.write(text)
      expect((await probe.answer()).status).to.equal(status)
      await expectDone(probe, 'OPTIONS', URL)
      probe.close()
      // What was refused may have its own line.
      await waitFor(() => server.endsOf(bad).some(({ reason }) => /left/u.test(reason ?? '')), { what: 'a log line' })
    })
  }

  it('takes no notice of frames of channels that were not set up', async () => {
    const { probe } = await connected()
    const frames = Array.from({ length: 2560 }, (_, index) => interleaved(index % 256, noise(1000, index)))
    probe.write(Buffer.concat(frames))
    await expectDone(probe, 'OPTIONS', URL)
    probe.close()
  })

  it('counts what is no packet, and takes those that are', async () => {
    const { bad, probe } = await publishing('noisy')
    const numbers: number[] = []
    const player = playRtsp({
      port: server.ports.rtsp,
      target: 'live/noisy',
      onPicture: (bytes) => numbers.push(pictureNumber(bytes)),
    })
    probe.writeFrame(0, picturePacket(0))
    await player
    for (let number = 1; number <= 100; number++) {
      probe.writeFrame(0, Buffer.alloc(0))
      probe.writeFrame(0, noise(500, number))
      probe.writeFrame(1, noise(500, number))
      probe.writeFrame(0, picturePacket(number))
    }
    await waitFor(() => numbers.length === 101, { what: 'the pictures' })
    expect(numbers).to.eql(Array.from({ length: 101 }, (_, index) => index))
    const details = await server.streamDetails('live/noisy')
    expect(details).to.include({ transport: 'tcp', lostPackets: 0, brokenPackets: 200 })
    probe.write(noise(MIB))
    await bad.expectEnd(server, /^malformed/)
    ;(await player).close()
  })

  it('plays on for one that sends noise in frames, and ends it when it sends noise', async () => {
    const since = new Date().toISOString()
    let pictures = 0
    const probe = await playRtsp({ port: server.ports.rtsp, target: 'live/healthy', onPicture: () => pictures++ })
    for (let index = 0; index < 1000; index++) probe.writeFrame(index % 2, noise(index))
    await expectDone(probe, 'OPTIONS', URL)
    const before = pictures
    await waitFor(() => pictures > before + 5, { what: 'pictures' })
    probe.write(noise(MIB))
    await new BadClient(probe.socket, since).expectEnd(server, /malformed|left/)
  })

  it('lets a hundred publishers and players go that are killed in mid-message', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `killed${index}`)
    const publishers = await Promise.all(names.map((name) => publishing(name)))
    const target = 'live/healthy'
    const players = await Promise.all(
      names.map(() => playRtsp({ port: server.ports.rtsp, target, onPicture: () => undefined })),
    )
    for (const { probe } of publishers) probe.write(interleaved(0, picturePacket(0)).subarray(0, 60))
    for (const probe of players) probe.write('TEARDOWN rtsp://127')
    for (const { probe } of publishers) probe.socket.resetAndDestroy()
    for (const probe of players) probe.socket.resetAndDestroy()
    await waitFor(async () => (await server.sessions()).streams === 1, { what: 'the streams to end' })
    await viewersAreGone()
  })

  it('takes as many medias as a stream may have tracks, and names those briefly that it does not take', async () => {
    const { bad, probe } = await connected()
    const url = rtspUrl(server.ports.rtsp, 'live/many')
    const medias = Array.from({ length: 31 }, (_, place) => `m=audio 0 RTP/AVP 0\r\na=control:track${place}\r\n`)
    const unknown = unknownMedia(20_000)
    await expectDone(probe, 'ANNOUNCE', url, {}, sessionDescription([...medias, unknown]))
    const [line] = await waitFor(() => server.problems.length > 0 && server.problems, { what: 'a log line' })
    expect(JSON.stringify(line).length).to.be.below(1000)
    // It is what an operator has to know, and no problem here.
    server.lines.splice(server.lines.indexOf(line!), 1)
    for (let place = 0; place < medias.length; place++) {
      const Transport = `RTP/AVP/TCP;unicast;interleaved=${place * 2}-${place * 2 + 1}`
      await expectDone(probe, 'SETUP', `${url}/track${place}`, { Transport })
    }
    await expectDone(probe, 'RECORD', url)
    probe.close()
    await bad.expectOneEnd(server, /left/)
  })

  it('answers twenty that send thousands of requests at once, and nobody else notices', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => connected()))
    for (const { probe } of clients) probe.write(request('OPTIONS', '').repeat(3000))
    await waitFor(() => clients.every(({ probe }) => probe.messages.length === 3000), { what: 'the answers' })
    for (const { probe } of clients) probe.close()
  })

  it('waits for one stream at a time for one that asks for thousands', async () => {
    const { bad, probe } = await connected()
    probe.write(request('DESCRIBE', '').repeat(3000))
    await waitFor(async () => (await server.sessions()).subscribers === HEALTHY_VIEWERS + 1, { what: 'it to wait' })
    probe.close()
    // That it has left shows when it is answered.
    const ended = () => server.endsOf(bad).some(({ reason }) => /left|ECONNRESET|EPIPE/u.test(reason ?? ''))
    await waitFor(ended, { what: 'the connection to end' })
  })

  it('describes and announces anew for one that does so again and again', async () => {
    const { probe } = await connected()
    const described = request('DESCRIBE', '', '', rtspUrl(server.ports.rtsp, 'live/healthy'))
    const statuses = await pipelined(probe, described + announce(VIDEO_SDP), 200)
    expect(new Set(statuses)).to.eql(new Set([200]))
    expect(await server.sessions()).to.eql({ streams: 2, subscribers: HEALTHY_VIEWERS })
    probe.close()
    await waitFor(async () => (await server.sessions()).streams === 1, { what: 'the stream to end' })
  })

  it('sets the same media up as often as it is asked to, on one pair of channels', async () => {
    const { probe } = await connected()
    const url = rtspUrl(server.ports.rtsp, 'live/healthy')
    await expectDone(probe, 'DESCRIBE', url)
    const setUp = request('SETUP', 'Transport: RTP/AVP/TCP;unicast\r\n', '', `${url}/trackID=0`)
    const statuses = await pipelined(probe, setUp, 500)
    expect(new Set(statuses)).to.eql(new Set([200]))
    expect(probe.messages.at(-1)?.headers.get('transport')).to.include('interleaved=0-1')
    probe.close()
    await viewersAreGone()
  })

  it('plays no more medias in a connection than it has channels for', async () => {
    const { probe } = await connected()
    const url = rtspUrl(server.ports.rtsp, 'live/healthy')
    const described = request('DESCRIBE', '', '', url)
    const setUp = request('SETUP', 'Transport: RTP/AVP/TCP;unicast\r\n', '', `${url}/trackID=0`)
    const playing = described + setUp + request('PLAY', '', '', url)
    expect(new Set(await pipelined(probe, playing, 128 * 3))).to.eql(new Set([200]))
    expect(await pipelined(probe, described + setUp, 2)).to.eql([200, 461])
    expect((await server.sessions()).subscribers).to.equal(HEALTHY_VIEWERS + 129)
    probe.close()
    await viewersAreGone()
  })

  it('ends one that floods it with requests and reads nothing', async () => {
    const { bad } = await connected()
    bad.stopReading()
    await bad.flood(Buffer.from(request('OPTIONS', '').repeat(500)))
    await bad.expectEnd(server, /does not read/)
  })

  it('ends a publisher that sends nothing', async () => {
    const { bad } = await publishing('silent')
    await bad.expectEnd(server, /^publish timeout$/)
  })

  const HTTP = [
    { what: 'asks for a page', text: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n' },
    { what: 'sends into no tunnel', text: 'POST / HTTP/1.0\r\nx-sessioncookie: none\r\n\r\nnoise' },
  ]
  for (const { what, text } of HTTP) {
    it(`refuses one that ${what}, and does not wait for it to leave`, async () => {
      const { descriptors } = await server.usage()
      const socket = connect({ port: server.ports.rtsp, host: '127.0.0.1', allowHalfOpen: true })
      keep({ close: () => void socket.destroy() })
      const bad = new BadClient(socket)
      let answer = ''
      socket.on('data', (bytes) => (answer += bytes.toString()))
      socket.write(text)
      await bad.expectOneEnd(server, /^HTTP without a tunnel$/)
      await waitFor(() => answer.startsWith('HTTP/1.0 400'), { what: 'the answer' })
      await waitFor(async () => (await server.usage()).descriptors <= descriptors, { what: 'the socket to be gone' })
    })
  }

  it('ends a tunnel through which noise comes', async () => {
    const get = await BadClient.dial(server.ports.rtsp)
    get.socket.write('GET /live/a HTTP/1.0\r\nx-sessioncookie: noisy\r\n\r\n')
    await waitFor(() => get.received.startsWith('HTTP/1.0 200'), { what: 'the tunnel' })
    const post = await BadClient.dial(server.ports.rtsp)
    post.socket.write('POST /live/a HTTP/1.0\r\nx-sessioncookie: noisy\r\nContent-Length: 32767\r\n\r\n')
    post.socket.write(noise(MIB))
    await get.expectEnd(server, /base64|malformed/i)
    await waitFor(() => post.socket.destroyed, { what: 'both connections to end' })
  })

  it('takes the packets of a publisher from its address and port alone', async function () {
    // Other systems have no 127.0.0.2 unless they are told to.
    if (process.platform !== 'linux') return this.skip()
    const own = await openPortPair()
    keep({ close: () => void own.rtp.close() })
    keep({ close: () => void own.rtcp.close() })
    const wanted = `RTP/AVP;unicast;client_port=${own.port}-${own.port + 1};mode=record`
    const { probe, agreed } = await publishRtsp(server.ports.rtsp, 'live/spoofed', wanted)
    const serverPort = Number(/server_port=(\d+)/u.exec(agreed)?.[1])
    const spoofers = [await udpSocket('127.0.0.2', own.port), await udpSocket('127.0.0.1')]
    const numbers: number[] = []
    spoofers[0]!.send(picturePacket(1000), serverPort, '127.0.0.1')
    own.rtp.send(picturePacket(0), serverPort, '127.0.0.1')
    const player = await playRtsp({
      port: server.ports.rtsp,
      target: 'live/spoofed',
      onPicture: (bytes) => numbers.push(pictureNumber(bytes)),
    })
    for (let number = 1; number <= 20; number++) {
      for (const spoofer of spoofers) {
        spoofer.send(picturePacket(number + 1000), serverPort, '127.0.0.1')
        spoofer.send(noise(100), serverPort, '127.0.0.1')
        spoofer.send(Buffer.from('81cb0001000012340000', 'hex'), serverPort + 1, '127.0.0.1')
      }
      own.rtp.send(picturePacket(number), serverPort, '127.0.0.1')
    }
    await waitFor(() => numbers.at(-1) === 20, { what: 'the pictures' })
    expect(numbers).to.eql(Array.from({ length: 21 }, (_, index) => index))
    const details = await server.streamDetails('live/spoofed')
    expect(details).to.include({ transport: 'udp', lostPackets: 0, brokenPackets: 0, duplicatePackets: 0 })
    player.close()
    probe.close()
  })

  it('endures two thousand connections that leave at once', async () => {
    const leave = async () => {
      const client = await BadClient.dial(server.ports.rtsp)
      client.socket.destroy()
    }
    for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 100 }, leave))
  })

  it('ends those that say nothing that counts', async () => {
    for (const client of silent) await client.expectEnd(server, /^no request came in time$/, SILENT_WITHIN_MS)
  })

  /** Sends requests, again and again and at once, until so many are sent; returns the statuses of the answers. */
  async function pipelined(probe: RtspProbe, requests: string, count: number): Promise<number[]> {
    const before = probe.messages.length
    probe.write(requests.repeat(count / requests.split('CSeq').slice(1).length))
    await waitFor(() => probe.messages.length === before + count, { what: 'the answers' })
    return probe.messages.slice(before).map(({ startLine }) => Number(startLine.split(' ')[1]))
  }

  async function viewersAreGone(): Promise<void> {
    await waitFor(async () => (await server.sessions()).subscribers === HEALTHY_VIEWERS, {
      what: 'the players to be gone',
    })
  }
})

describe('RTSP and many clients', () => {
  let server: ServerProcess
  let healthy: HealthySession
  let ports: readonly [from: number, to: number]
  /** Of the server, with nobody but the healthy ones. */
  let descriptors: number

  before(async () => {
    const pair = await openPortPair()
    ports = [pair.port, pair.port + 1]
    pair.rtp.close()
    pair.rtcp.close()
    server = await ServerProcess.start(`rtsp: { udpport: ${ports.join('-')} }`)
    healthy = await HealthySession.start(server)
    descriptors = (await server.usage()).descriptors
  })

  afterEach(async () => {
    await healthy.expectUnharmed()
    expect(server.problems).to.eql([])
  })

  after(async () => {
    healthy.close()
    await server.stop()
  })

  it('gives ports again as soon as a media goes, and says when there are none', async () => {
    const url = rtspUrl(server.ports.rtsp, 'live/healthy')
    for (let round = 0; round < 3; round++) {
      const probes = await Promise.all(Array.from({ length: 20 }, () => RtspProbe.connect({ port: server.ports.rtsp })))
      const setUp = async (probe: RtspProbe) => {
        const headers = { Transport: 'RTP/AVP;unicast;client_port=50000-50001' }
        return (await probe.request('SETUP', `${url}/trackID=0`, { headers })).startLine
      }
      const lines = await Promise.all(probes.map(setUp))
      expect(lines.filter((line) => line === 'RTSP/1.0 200 OK')).to.have.length(1)
      expect(lines.filter((line) => line.startsWith('RTSP/1.0 503 '))).to.have.length(19)
      // What is set up again takes no further ports.
      const holder = probes[lines.indexOf('RTSP/1.0 200 OK')]!
      for (let time = 0; time < 10; time++) expect(await setUp(holder)).to.equal('RTSP/1.0 200 OK')
      for (const probe of probes) probe.close()
      await waitFor(async () => (await server.sessions()).subscribers === HEALTHY_VIEWERS, { what: 'them to be gone' })
    }
  })

  it('endures many connections that say nothing', async () => {
    await waitFor(async () => (await server.usage()).descriptors <= descriptors, { what: 'others to be gone' })
    const { rssBytes } = await server.usage()
    const sockets: NetSocket[] = []
    let ended = 0
    // The server ends those that have said nothing for 30 s: a busy machine opens fewer before that.
    const untilMs = performance.now() + SILENT_OPENED_WITHIN_MS
    while (sockets.length < SILENT_COUNT && performance.now() < untilMs) {
      const opened = Array.from({ length: SILENT_OPENED_AT_ONCE }, async () => {
        const { socket } = await BadClient.dial(server.ports.rtsp)
        socket.once('end', () => ended++)
        sockets.push(socket)
      })
      await Promise.all(opened)
    }
    const accepted = async () => (await server.usage()).descriptors >= descriptors + sockets.length - ended
    await waitFor(accepted, { what: 'all to be accepted' })
    expect(((await server.usage()).rssBytes - rssBytes) / sockets.length).to.be.below(MAX_SILENT_BYTES)
    await healthy.expectUnharmed()
    const probe = await RtspProbe.connect({ port: server.ports.rtsp })
    await expectDone(probe, 'DESCRIBE', rtspUrl(server.ports.rtsp, 'live/healthy'))
    probe.close()
    for (const socket of sockets) socket.destroy()
    await waitFor(async () => (await server.usage()).descriptors <= descriptors, { what: 'the sockets to be gone' })
  })
})

describe('RTSP clients that are killed', () => {
  it('leave no session, socket, port or timer behind', async () => {
    // Over UDP, only silence tells that a client has gone; a busy machine may be silent for a while before that.
    const server = await ServerProcess.start('rtsp: { sessiontimeout: 5s }')
    const port = server.ports.rtsp
    const udp = 'RTP/AVP;unicast;client_port=50000-50001'
    const http = 'HTTP/1.0\r\nx-sessioncookie: '
    const play = (transport: string) => playRtsp({ port, target: 'live/here', transport, onPicture: () => undefined })
    const ways: readonly ((index: number) => Promise<RtspProbe>)[] = [
      async (index) => (await publishRtsp(port, `live/tcp${index}`)).probe,
      async (index) => (await publishRtsp(port, `live/udp${index}`, `${udp};mode=record`)).probe,
      () => play(INTERLEAVED),
      () => play(udp),
      async (index) => {
        const get = await RtspProbe.connect({ port })
        const post = await RtspProbe.connect({ port })
        get.write(`GET / ${http}${index}\r\n\r\n`)
        await get.answer()
        post.write(`POST / ${http}${index}\r\n\r\n${Buffer.from(request('DESCRIBE', '')).toString('base64')}`)
        return get
      },
    ]
    const visit = async (count: number) => {
      const probes = await Promise.all(Array.from({ length: count }, (_, index) => ways[index % ways.length]!(index)))
      for (const [index, { socket }] of probes.entries()) {
        socket.write('PLAY rtsp://')
        if (index % 2 === 0) socket.resetAndDestroy()
        else socket.destroy()
      }
      const gone = async () => {
        const { streams, subscribers } = await server.sessions()
        return streams === 1 && subscribers === 0
      }
      await waitFor(gone, { what: 'all sessions to end', intervalMs: 200 })
    }
    const publisher = await NumberedPublisher.start({ port: server.ports.rtmp, name: 'here', fps: 5, sizeBytes: 100 })
    const { descriptors } = await server.usage()
    // Ports stay until the goodbye has gone, a moment after the session.
    const areFree = async () => (await server.usage()).descriptors <= descriptors + IN_PASSING
    await visit(ways.length)
    await waitFor(areFree, { what: 'the ports to be free' })
    const before = await server.holdings()
    await visit(ways.length * 30)
    await waitFor(areFree, { what: 'the ports to be free again' })
    expectNoGrowth(await server.holdings(), before, 1)
    expect(server.problems).to.eql([])
    publisher.close()
    await server.stop()
  })
})
