import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { ControlServer } from '../gates/control-server.ts'
import { policyQuery, signatureQuery } from '../gates/signing.ts'
import { openChromium } from '../peers/chromium.ts'
import { publish } from '../peers/ffmpeg.ts'
import { ffprobePackets, ffprobeStreams } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerCommand } from '../support/command.ts'
import { ffmpegsAt, JsmpegViewer } from '../support/jsmpeg-viewer.ts'
import { startServer, type RunningServer, type StartServerInit } from '../support/server.ts'

const EXAMPLE = fileURLToPath(new URL('../../examples/jsmpeg/config.yaml', import.meta.url))
const ON = { SLUICE_JSMPEG_ENABLE: 'true' }
/** More than there may still be to come of what was sent before. */
const BEYOND_UNDER_WAY_BYTES = 10_000
const SECRETS = { key: 's3cret-key', policy: 's3cret-policy', password: 's3cret-password' }

describe('jsmpeg', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  function start(config = '', env: StartServerInit['env'] = {}): Promise<RunningServer> {
    return startServer({ config, env: { ...ON, ...env } })
  }

  async function source(server: RunningServer, streamPath = 'live/a', size = '320x240') {
    const publisher = publish({ url: server.rtmp(streamPath), durationSeconds: 600, video: { size } })
    await waitFor(() => server.server.streams.get(streamPath), { what: streamPath })
    return publisher
  }

  function ffmpegs(server: RunningServer): Promise<number[]> {
    return ffmpegsAt(server.rtspPort)
  }

  /** Of the only viewer. */
  function viewerId({ server }: RunningServer): number {
    return server.streams.subscribers().find(({ request }) => request.type === 'server')?.id ?? 0
  }

  async function noFfmpeg(server: RunningServer): Promise<void> {
    await waitFor(async () => (await ffmpegs(server)).length === 0, { what: 'ffmpeg to be gone' })
  }

  it('plays MPEG-1 and MP2 as its config says, to players that join when they like', async () => {
    const server = await start('jsmpeg: { width: 160, framerate: 30, bitrate: 400, gop: 10 }')
    await source(server)
    const first = new JsmpegViewer(server.ws('/jsmpeg/live/a'))
    await first.more()
    const late = new JsmpegViewer(server.ws('/jsmpeg/live/a.ts'))
    await late.more(100_000)
    const from = first.messages.findIndex((message) => message.equals(late.messages[0]!))
    for (const [index, message] of late.messages.slice(0, 100).entries()) {
      expect(message.length % 188).to.equal(0)
      expect(message.equals(first.messages[from + index]!), `message ${index}`).to.equal(true)
    }
    const file = path.join(server.folder, 'played.ts')
    await writeFile(file, first.bytes)
    const [video, audio] = await ffprobeStreams(file)
    expect(video).to.include({ kind: 'video', codec: 'mpeg1video', width: 160, height: 120 })
    expect(audio).to.include({ kind: 'audio', codec: 'mp2', sampleRate: 44_100, channels: 2 })
    const packets = await ffprobePackets(file, { kind: 'video' })
    const steps = packets.slice(1).map(({ ptsMs }, index) => Math.round((ptsMs ?? 0) - (packets[index]?.ptsMs ?? 0)))
    expect([...new Set(steps)].toSorted((a, b) => a - b)).to.eql([33, 34])
    const keyframes = packets.flatMap(({ keyframe }, index) => (keyframe ? [index] : []))
    const gaps = keyframes.slice(1).map((at, index) => at - (keyframes[index] ?? 0))
    expect([keyframes[0], Math.max(...gaps)]).to.eql([0, 10])
    expect(server.problems).to.eql([])
  })

  async function shareOne(): Promise<void> {
    const server = await start('jsmpeg: { stopdelay: 100ms, audio: false }')
    await source(server, 'live/a', '321x241')
    expect(await ffmpegs(server)).to.eql([])
    const viewers = Array.from({ length: 10 }, () => new JsmpegViewer(server.ws('/jsmpeg/live/a')))
    await Promise.all(viewers.map((viewer) => viewer.more()))
    expect(await ffmpegs(server)).to.have.length(1)
    const { data } = (await server.api('/api/subscribers')).body as { data: { pluginName: string; type: string }[] }
    const kinds = data.map(({ pluginName, type }) => `${pluginName} ${type}`)
    expect(kinds.toSorted()).to.eql([...viewers.map(() => 'jsmpeg server'), 'rtsp transform'])
    expect(server.server.streams.get('live/a')?.subscriberCount, 'viewers').to.equal(10)
    // Odd sides are cut off.
    const file = path.join(server.folder, 'played.ts')
    await writeFile(file, viewers[0]!.bytes)
    const streams = await ffprobeStreams(file)
    expect(streams.map(({ codec, width, height }) => [codec, width, height])).to.eql([['mpeg1video', 320, 240]])
    for (const viewer of viewers) viewer.close()
    await noFfmpeg(server)
    await waitFor(() => server.server.streams.subscribers().length === 0, { what: 'all sessions to end' })
    expect(server.problems).to.eql([])
  }

  /** Encodes no more streams than it may. */
  async function makeRoom(): Promise<void> {
    const server = await start('jsmpeg: { maxencoders: 1, stopdelay: 1h }')
    await Promise.all([source(server), source(server, 'live/b')])
    const viewer = new JsmpegViewer(server.ws('/jsmpeg/live/a'))
    await viewer.more()
    expect(await new JsmpegViewer(server.ws('/jsmpeg/live/b')).status).to.equal(503)
    const told = server.records.find(({ msg }) => msg === 'play refused')
    expect(told?.['reason']).to.match(/^no more than 1 streams .*maxencoders/u)
    viewer.close()
    await waitFor(() => server.server.streams.get('live/a')?.subscriberCount === 0, { what: 'the viewer to leave' })
    await new JsmpegViewer(server.ws('/jsmpeg/live/b')).more()
    expect(await ffmpegs(server)).to.have.length(1)
  }

  async function leaveNothing(): Promise<void> {
    const server = await start()
    await source(server)
    const viewer = new JsmpegViewer(server.ws('/jsmpeg/live/a'))
    await viewer.more()
    const { rtspPort } = server
    const [former] = await ffmpegs(server)
    await server.writeConfig('jsmpeg: { gop: 5, stopdelay: 0s }')
    const reloaded = () => server.server.host.list().find(({ name }) => name === 'jsmpeg')?.generation === 2
    await waitFor(reloaded, { what: 'the next generation' })
    await viewer.more(BEYOND_UNDER_WAY_BYTES)
    expect(await ffmpegs(server)).to.eql([former])
    viewer.close()
    await noFfmpeg(server)
    await new JsmpegViewer(server.ws('/jsmpeg/live/a')).more()
    expect(await ffmpegs(server)).to.have.length(1)
    await server.stop()
    expect(await ffmpegsAt(rtspPort)).to.eql([])
  }

  it('has one ffmpeg for all, from the first viewer to the last, no more than it may, and none when it is over', () =>
    Promise.all([shareOne(), makeRoom(), leaveNothing()]))

  async function beginAnew(): Promise<void> {
    const server = await start()
    await source(server)
    const viewer = new JsmpegViewer(server.ws('/jsmpeg/live/a'))
    await viewer.more()
    const [killed] = await ffmpegs(server)
    process.kill(killed!, 'SIGKILL')
    const another = async () => (await ffmpegs(server)).find((pid) => pid !== killed)
    await waitFor(another, { what: 'another ffmpeg' })
    await viewer.more(BEYOND_UNDER_WAY_BYTES)
    expect(server.server.streams.subscribers().filter(({ request }) => request.protocol === 'jsmpeg')).to.have.length(1)
    expect(server.problems.map(({ msg }) => msg)).to.eql(['the process has failed'])
  }

  /** Goes on with the next publisher, and ends its viewers when none comes. */
  async function outlivePublisher(): Promise<void> {
    const server = await start()
    const publisher = await source(server)
    const viewer = new JsmpegViewer(server.ws('/jsmpeg/live/a?waittimeout=60s'))
    await viewer.more()
    await publisher.close()
    await noFfmpeg(server)
    const another = await source(server)
    await viewer.more(BEYOND_UNDER_WAY_BYTES)
    const impatient = new JsmpegViewer(server.ws('/jsmpeg/live/a?waittimeout=10ms'))
    await impatient.more()
    await another.close()
    await impatient.ended
    await noFfmpeg(server)
    expect(server.problems).to.eql([])
  }

  async function followViewer(): Promise<void> {
    const server = await start('jsmpeg: { stopdelay: 0s }')
    await Promise.all([source(server), source(server, 'live/b')])
    const viewer = new JsmpegViewer(server.ws('/jsmpeg/live/a'))
    await viewer.more()
    const [first] = await ffmpegs(server)
    const id = viewerId(server)
    server.server.streams.move([id], 'live/b')
    const other = async () => (await ffmpegs(server)).length === 1 && !(await ffmpegs(server)).includes(first!)
    await waitFor(other, { what: 'an ffmpeg for the other stream alone' })
    await viewer.more(BEYOND_UNDER_WAY_BYTES)
    expect(server.problems).to.eql([])
  }

  it('goes on with another ffmpeg, another publisher, and another stream', () =>
    Promise.all([beginAnew(), outlivePublisher(), followViewer()]))

  it('leaves a viewer out that takes too little, ends it, and holds no other up', async () => {
    const group = 'subscribe: { queuesize: 64KB, stalltimeout: 1s }'
    const server = await start(`jsmpeg: { bitrate: 50000, gop: 1, audio: false, ${group} }`)
    await source(server, 'live/a', '1280x720')
    const viewer = new JsmpegViewer(server.ws('/jsmpeg/live/a'))
    await viewer.more()
    const slow = new WebSocket(server.ws('/jsmpeg/live/a'))
    slow.on('open', () => slow.pause())
    const slowest = () => server.server.streams.subscribers().some(({ dropped }) => dropped > 0)
    await waitFor(slowest, { what: 'messages that are left out' })
    const ended = () => server.records.find(({ msg, reason }) => msg === 'play ended' && reason === 'slow')
    await waitFor(ended, { what: 'the slow viewer to be ended' })
    await viewer.more()
    slow.terminate()
    expect(server.problems).to.eql([])
  })

  it('plays to those whom all gates let in, and its ffmpeg asks nobody', async () => {
    const control = await ControlServer.start()
    const server = await start(
      `
global:
  enable_auth: true
  subscribe: { key: ${SECRETS.key} }
  signed_policy: { enable: true, secret: ${SECRETS.policy}, expire_query: until, actions: [play] }
  admission_webhook: { enable: true, url: '${control.url}', actions: [play] }
rtsp: { username: camera, password: ${SECRETS.password}, tcp: { listenaddr: '' } }
`,
      { SLUICE_RTSP_TCP_LISTENADDR: '', SLUICE_RTSP_TCP_LISTENADDRTLS: '127.0.0.1:0' },
    )
    await source(server)
    const claims = { protocol: 'jsmpeg', action: 'play', streamPath: 'live/a' }
    const query = `${signatureQuery(SECRETS.key, 'live/a')}&${policyQuery(SECRETS.policy, claims)}`
    for (const wrong of ['', `?${signatureQuery(SECRETS.key, 'live/a')}`, `?${query}x`, '?ticket=00']) {
      expect(await new JsmpegViewer(server.ws(`/jsmpeg/live/a${wrong}`)).status).to.equal(401)
    }
    expect(await ffmpegsAt(server.pluginPort('rtsp', true))).to.eql([])
    const viewer = new JsmpegViewer(server.ws(`/jsmpeg/live/a?${query}`))
    await viewer.more()
    expect(control.requests.map(({ fields }) => fields.protocol)).to.eql(['jsmpeg'])
    const said = JSON.stringify([server.records, (await server.api('/api/subscribers')).body, control.requests])
    expect(said)
      .not.to.match(/ticket=[0-9a-f]{2}/u)
      .and.not.include(SECRETS.password)
    expect(said).to.include('ticket=******')

    control.rule = () => ({ body: { allowed: false } })
    expect(await new JsmpegViewer(server.ws(`/jsmpeg/live/a?${query}`)).status).to.equal(401)
    const id = viewerId(server)
    await server.api(`/api/subscribe/stop/${id}`, { method: 'POST' })
    await viewer.ended
  })

  it('speaks the subprotocol that a player names, and says what it is to others', async () => {
    const server = await start()
    await source(server)
    // What browsers make of `new WebSocket(url, null)`, as JSMpeg calls it.
    const socket = new WebSocket(server.ws('/jsmpeg/live/a'), 'null')
    await waitFor(() => socket.readyState === WebSocket.OPEN)
    expect(socket.protocol).to.equal('null')
    socket.terminate()
    const answer = await fetch(server.http('/jsmpeg/live/a'))
    expect([answer.status, answer.headers.get('upgrade')]).to.eql([426, 'websocket'])
    const { body } = await server.api('/home/addresses')
    expect(JSON.stringify(body)).to.include('"jsmpeg/{streamPath}"')
  })

  it('is disabled with the reason where there is no ffmpeg, or no rtsp', async () => {
    const server = await start('jsmpeg: { ffmpegpath: /nowhere/ffmpeg }')
    const poor = await start('jsmpeg: { ffmpegpath: /bin/echo }')
    const withoutRtsp = await start('rtsp: { enable: false }')
    const deaf = await start('', { SLUICE_RTSP_TCP_LISTENADDR: '' })
    const reason = async (of: RunningServer) => {
      const { data } = (await of.api('/api/plugins/disabled')).body as {
        data: { name: string; description: { disableReason: string } }[]
      }
      return data.find(({ name }) => name === 'jsmpeg')?.description.disableReason
    }
    expect(await reason(server)).to.match(/'\/nowhere\/ffmpeg' is not installed.*ffmpegpath/u)
    expect(await reason(poor)).to.match(/no encoder mpeg1video and mp2/u)
    expect(await reason(withoutRtsp)).to.match(/requires plugin 'rtsp', which is switched off/u)
    await source(deaf)
    expect(await new JsmpegViewer(deaf.ws('/jsmpeg/live/a')).status).to.equal(503)
  })

  it("plays in Chromium, on the example's page", async function () {
    requirePeer(this, 'chromium')
    const server = await ServerCommand.start(['-c', EXAMPLE], { env: ON })
    publish({ url: server.rtmp('live/a'), durationSeconds: 600 })
    const browser = await openChromium()
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(server.http('/jsmpeg-page/#live/a'))
    // The script is text, for it runs in the page, whose types are not those of this project.
    const picture = () => page.evaluate<string>(`document.getElementById('picture').toDataURL()`)
    const blank = await picture()
    const seen = new Set<string>()
    const changes = async () => seen.add(await picture()).size > 3 && !seen.delete(blank)
    await waitFor(changes, { what: 'pictures that change' })
    const size = await page.evaluate<number[]>(`[picture.width, picture.height]`)
    expect(size).to.eql([320, 240])
    expect(errors).to.eql([])
    expect(await ffmpegsAt(server.rtspPort)).to.have.length(1)
    server.process.signal('SIGKILL')
    const gone = async () => (await ffmpegsAt(server.rtspPort)).length === 0
    await waitFor(gone, { what: 'ffmpeg to end with the server that was killed' })
  })
})
