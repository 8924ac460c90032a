import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import { TestCaller } from '../../plugins/srt/fixtures/test-caller.ts'
import { PUBLISH_OFFER } from '../../plugins/webrtc/fixtures/signalling-rig.ts'
import { offerOf } from '../bench/load/webrtc/offer.ts'
import { keep } from '../peers/lifetime.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { RtspProbe } from '../support/rtsp/rtsp-probe.ts'
import type { RunningServer } from '../support/server.ts'

/** How an attempt to open a session went. */
export type Attempt = {
  readonly admitted: boolean
  /** All that the client was told, as text. */
  readonly told: string
  /** Ends the session. */
  close(): void
}

/** A way to publish or play. */
export type Way = {
  readonly name: string
  readonly action: 'publish' | 'play'
  readonly protocol: string
  /** What a client that is denied is told. */
  readonly denial: RegExp
  /** @param target `app/name?query` */
  open(server: RunningServer, target: string): Promise<Attempt>
}

const RTMP_DENIED =
  /"level":"error","code":"NetStream\.(Publish\.Denied|Play\.Failed)","description":"unauthorized".* closed$/u
const HTTP_DENIED = /^401 \{"code":16,"message":"unauthorized","details":\[\]\}$/u

const WS_DENIED = /^401 Unauthorized $/u

// Not a challenge: another name or password would change nothing.
const RTSP_DENIED = /^RTSP\/1\.0 401 unauthorized\r\nCSeq: 1\r\nServer: Sluice\r\n\r\n$/u

const SRT_DENIED = /^refused 1401$/u

/** Every way into the server that has gates. */
export const WAYS: readonly Way[] = [
  { name: 'publish by RTMP', action: 'publish', protocol: 'rtmp', denial: RTMP_DENIED, open: publishRtmp },
  { name: 'play by RTMP', action: 'play', protocol: 'rtmp', denial: RTMP_DENIED, open: playRtmp },
  { name: 'play by HTTP-FLV', action: 'play', protocol: 'flv', denial: HTTP_DENIED, open: playHttp('flv') },
  { name: 'play by WS-FLV', action: 'play', protocol: 'flv', denial: WS_DENIED, open: playWs('flv') },
  { name: 'play by HTTP-fMP4', action: 'play', protocol: 'mp4', denial: HTTP_DENIED, open: playHttp('mp4') },
  { name: 'play by WS-fMP4', action: 'play', protocol: 'mp4', denial: WS_DENIED, open: playWs('mp4') },
  { name: 'play by HTTP, Annex B', action: 'play', protocol: 'annexb', denial: HTTP_DENIED, open: playHttp('annexb') },
  { name: 'play by WS, Annex B', action: 'play', protocol: 'annexb', denial: WS_DENIED, open: playWs('annexb') },
  { name: 'publish by RTSP', action: 'publish', protocol: 'rtsp', denial: RTSP_DENIED, open: publishRtsp },
  { name: 'play by RTSP', action: 'play', protocol: 'rtsp', denial: RTSP_DENIED, open: playRtsp },
  { name: 'publish by WHIP', action: 'publish', protocol: 'webrtc', denial: HTTP_DENIED, open: openWebRtc('whip') },
  { name: 'play by WHEP', action: 'play', protocol: 'webrtc', denial: HTTP_DENIED, open: openWebRtc('whep') },
  { name: 'publish by SRT', action: 'publish', protocol: 'srt', denial: SRT_DENIED, open: callSrt('publish') },
  { name: 'play by SRT', action: 'play', protocol: 'srt', denial: SRT_DENIED, open: callSrt('subscribe') },
  {
    name: 'publish by a plugin',
    action: 'publish',
    protocol: 'fake',
    denial: /^ERR 401 unauthorized\n$/u,
    open: publishFake,
  },
  { name: 'play by a plugin', action: 'play', protocol: 'fake', denial: /^ERR 401 unauthorized\n$/u, open: playFake },
]

function publishRtmp(server: RunningServer, target: string): Promise<Attempt> {
  return openRtmp(server, target, 'NetStream.Publish.Start', (client, name) => client.tell('publish', name, 'live'))
}

function playRtmp(server: RunningServer, target: string): Promise<Attempt> {
  return openRtmp(server, target, 'NetStream.Play.Start', (client, name) => client.tell('play', name))
}

async function openRtmp(
  server: RunningServer,
  target: string,
  success: string,
  ask: (client: RtmpClient, name: string) => void,
): Promise<Attempt> {
  const client = await RtmpClient.connect({ url: server.rtmp(target) })
  const [path = '', query = ''] = target.split('?')
  ask(client, `${path.slice(path.lastIndexOf('/') + 1)}?${query}`)
  const admitted = await client.isTold(success)
  const told = JSON.stringify(client.commands) + (admitted ? '' : ' closed')
  return { admitted, told, close: () => client.close() }
}

function playHttp(protocol: LiveProtocol): Way['open'] {
  return async (server, target) => {
    const request = http.get(server.http(mediaPath(protocol, target)), { agent: false })
    keep({ close: () => void request.destroy() })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.on('error', () => {})
    const close = () => void request.destroy()
    if (response.statusCode !== 200) return { admitted: false, told: await answerText(response), close }
    await once(response, 'data')
    response.resume()
    return { admitted: true, told: '200', close }
  }
}

function playWs(protocol: LiveProtocol): Way['open'] {
  return async (server, target) => {
    const socket = new WebSocket(server.ws(mediaPath(protocol, target)))
    const { promise, resolve, reject } = Promise.withResolvers<Attempt>()
    const close = () => socket.terminate()
    keep({ close })
    socket.on('error', reject)
    socket.on('unexpected-response', (request, response) => {
      void answerText(response, true).then((told) =>
        resolve({ admitted: false, told, close: () => void request.destroy() }),
      )
    })
    socket.once('message', () => resolve({ admitted: true, told: '101', close }))
    return promise
  }
}

/** Nobody is where the offers say: a session begins before its peer was reached. */
const OFFERS = {
  whip: PUBLISH_OFFER,
  whep: offerOf({
    usernameFragment: 'abcd',
    password: 'p'.repeat(24),
    fingerprint: Array(32).fill('AB').join(':'),
    port: 9,
  }),
}

function openWebRtc(endpoint: keyof typeof OFFERS): Way['open'] {
  return async (server, target) => {
    const headers = { 'content-type': 'application/sdp' }
    const url = server.http(`/webrtc/${endpoint}/${target}`)
    const response = await fetch(url, { method: 'POST', headers, body: OFFERS[endpoint] })
    const text = await response.text()
    if (response.status !== 201) return { admitted: false, told: `${response.status} ${text}`, close: () => {} }
    const session = server.http(response.headers.get('location') ?? '')
    return { admitted: true, told: '201', close: () => void fetch(session, { method: 'DELETE' }) }
  }
}

const ANNOUNCED = `v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=audio 0 RTP/AVP 8\r\na=control:streamid=0\r\n`

async function publishRtsp(server: RunningServer, target: string): Promise<Attempt> {
  const probe = await RtspProbe.connect({ port: server.rtspPort })
  const headers = { 'Content-Type': 'application/sdp' }
  const { status } = await probe.request('ANNOUNCE', server.rtsp(target), { headers, body: ANNOUNCED })
  return toldRtsp(probe, status)
}

async function playRtsp(server: RunningServer, target: string): Promise<Attempt> {
  const probe = await RtspProbe.connect({ port: server.rtspPort })
  const { status } = await probe.request('DESCRIBE', server.rtsp(target))
  if (status === 200) await setUpRtsp(probe, server, target)
  return toldRtsp(probe, status)
}

async function setUpRtsp(probe: RtspProbe, server: RunningServer, target: string): Promise<void> {
  const [path = '', query = ''] = target.split('?')
  const headers = { Transport: 'RTP/AVP/TCP;unicast;interleaved=0-1' }
  const { status } = await probe.request('SETUP', server.rtsp(`${path}/trackID=0?${query}`), { headers })
  if (status === 200) await probe.request('PLAY', server.rtsp(target))
}

function toldRtsp(probe: RtspProbe, status: number): Attempt {
  const told = probe.messages.map(({ head, body }) => `${head}${body.toString()}`).join('')
  const hasMedia = probe.frames.length > 0 || probe.rest.length > 0
  return { admitted: status === 200, told: `${told}${hasMedia ? 'media' : ''}`, close: () => probe.close() }
}

function callSrt(mode: 'publish' | 'subscribe'): Way['open'] {
  return async (server, target) => {
    const caller = await TestCaller.call({ port: server.srtPort, streamId: `${mode}:/${target}` })
    const close = () => caller.close()
    keep({ close })
    const reason = await caller.refusal
    return { admitted: reason === undefined, told: reason === undefined ? 'admitted' : `refused ${reason}`, close }
  }
}

function publishFake(server: RunningServer, target: string): Promise<Attempt> {
  return openFake(server, `publish ${target}`)
}

function playFake(server: RunningServer, target: string): Promise<Attempt> {
  return openFake(server, `play ${target}`)
}

async function openFake(server: RunningServer, line: string): Promise<Attempt> {
  const socket = connect(server.pluginPort('fake'), '127.0.0.1')
  const close = () => void socket.destroy()
  keep({ close })
  socket.write(`${line}\n`)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  const told = answer.toString()
  socket.on('error', () => {})
  return { admitted: told.startsWith('OK'), told, close }
}

/** Those whose plugin plays by `serveLive`. */
type LiveProtocol = 'annexb' | 'flv' | 'mp4'

function mediaPath(protocol: LiveProtocol, target: string): string {
  const [path = '', query = ''] = target.split('?')
  return `/${protocol}/${path}.${protocol}?${query}`
}

async function answerText(response: IncomingMessage, phrase = false): Promise<string> {
  let body = ''
  for await (const part of response) body += String(part)
  return `${response.statusCode} ${phrase ? `${response.statusMessage} ` : ''}${body}`
}
