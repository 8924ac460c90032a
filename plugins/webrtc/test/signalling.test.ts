import { expect } from 'chai'
import { StreamRedirect, StreamUnavailable } from 'sluice/sdk'
import { sessionInit } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { PLAY_OFFER, PUBLISH_OFFER, SignallingRig } from '../fixtures/signalling-rig.ts'

const FRAGMENT = 'application/trickle-ice-sdpfrag'
const OBS_ICE = 'a=ice-ufrag:jBUY\r\na=ice-pwd:Vkk0zFlZYTIEEN8Ncyxvcb\r\n'
const OTHER_ICE = 'a=ice-ufrag:othr\r\na=ice-pwd:another0password0that0fits\r\n'
const MEDIA = 'm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n'
const CANDIDATE = '7 1 udp 2122260223 198.51.100.7 5000 typ host'

async function messageOf(response: Response): Promise<string> {
  return ((await response.json()) as { message: string }).message
}

describe('the signalling of WebRTC', () => {
  let rig: SignallingRig
  beforeEach(async () => (rig = await SignallingRig.start({ config: { subscribe: { waittimeout: '100ms' } } })))

  async function published(): Promise<{ url: string; etag: string }> {
    const response = await rig.offer('whip/live/a', PUBLISH_OFFER)
    expect(response.status).to.equal(201)
    return { url: response.headers.get('location') ?? '', etag: response.headers.get('etag') ?? '' }
  }

  const patch = (url: string, body: string, headers: Record<string, string>) =>
    rig.request('PATCH', url, { body, headers: { 'content-type': FRAGMENT, ...headers } })

  for (const name of ['push', 'whip']) {
    it(`takes publishers at /webrtc/${name}`, async () => {
      const response = await rig.offer(`${name}/live/a?x=1`, PUBLISH_OFFER)
      const { status, headers } = response
      expect(status).to.equal(201)
      expect(headers.get('content-type')).to.equal('application/sdp')
      expect(headers.get('location')).to.match(/^\/webrtc\/session\/~[\w-]{36}$/u)
      expect(headers.get('etag')).to.equal('"sluice01"')
      const answer = await response.text()
      expect(answer)
        .to.match(/^v=0\r\n/u)
        .and.include('a=recvonly')
        .and.include('a=setup:passive')
      expect(rig.transport.remote?.ice.usernameFragment).to.equal('jBUY')
      expect(
        rig.server.requests.map(({ protocol, action, streamPath, query }) => ({ protocol, action, streamPath, query })),
      ).to.eql([{ protocol: 'webrtc', action: 'publish', streamPath: 'live/a', query: 'x=1' }])
      expect(rig.server.problems).to.eql([])
    })
  }

  for (const name of ['play', 'whep']) {
    it(`plays to viewers at /webrtc/${name}`, async () => {
      await rig.publish()
      const response = await rig.offer(`${name}/live/a`, PLAY_OFFER)
      expect(response.status).to.equal(201)
      expect(await response.text())
        .to.match(/m=video 9 .*\r\n/u)
        .and.match(/m=audio 0 /u)
        .and.include('a=sendonly')
      const [playout] = rig.parts.playouts
      expect(playout?.init).to.deep.include({ bframes: 'drop', layer: undefined })
      expect(playout?.isStarted).to.equal(false)
      rig.transport.succeed()
      expect(playout?.isStarted).to.equal(true)
      const report = Buffer.from('report')
      rig.transport.init.handlers.rtcp(report)
      expect(playout?.reports).to.eql([report])
    })
  }

  it('says which methods there are', async () => {
    const { url } = await published()
    const allowed = async (path: string) => {
      const { status, headers } = await rig.request('OPTIONS', path)
      return [status, headers.get('allow'), headers.get('accept-post'), headers.get('accept-patch')]
    }
    expect(await allowed('whip/live/b')).to.eql([204, 'DELETE, OPTIONS, POST', 'application/sdp', null])
    expect(await allowed('whep/live/b')).to.eql([204, 'OPTIONS, POST', 'application/sdp', null])
    expect(await allowed(url)).to.eql([204, 'DELETE, OPTIONS, PATCH', null, FRAGMENT])
    for (const [method, path] of [
      ...['GET', 'HEAD', 'PUT', 'PATCH'].map((name) => [name, 'whip/live/b']),
      ...['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'].map((name) => [name, 'whep/live/b']),
      ...['GET', 'HEAD', 'PUT', 'POST'].map((name) => [name, url]),
    ] as [string, string][]) {
      const { status, headers } = await rig.request(method, path)
      expect([status, headers.get('allow') !== null], `${method} ${path}`).to.eql([405, true])
    }
  })

  it('lets pages of other origins publish and play', async () => {
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' }
    const preflight = await rig.request('OPTIONS', 'whip/live/a', { headers })
    expect(preflight.status).to.equal(200)
    expect(preflight.headers.get('access-control-allow-origin')).to.equal('https://page.example')
    const response = await rig.offer('whip/live/a', PUBLISH_OFFER, { origin: 'https://page.example' })
    expect(response.headers.get('access-control-expose-headers')).to.include('Location').and.include('ETag')
  })

  it('tells clients of ICE servers, and of their passwords only those who are let in', async () => {
    const iceservers = [
      { urls: ['stun:stun.example:3478'] },
      { urls: ['turn:turn.example:3478?transport=udp'], username: 'me', credential: 'a"b\\c' },
    ]
    rig = await SignallingRig.start({ config: { iceservers } })
    const options = await rig.request('OPTIONS', 'whip/live/a')
    expect(options.headers.get('link')).to.equal('<stun:stun.example:3478>; rel="ice-server"')
    const { headers } = await rig.offer('whip/live/a', PUBLISH_OFFER)
    expect(headers.get('link')).to.equal(
      '<stun:stun.example:3478>; rel="ice-server", <turn:turn.example:3478?transport=udp>; rel="ice-server"; ' +
        String.raw`username="me"; credential="a\"b\\c"; credential-type="password"`,
    )
  })

  it('hands a bearer token to the gates, and shows it to nobody else', async () => {
    const token = 's3cret/token+1'
    await rig.offer('whip/live/a?bearer=mine&x=1', PUBLISH_OFFER, { authorization: `Bearer ${token}` })
    const [request] = rig.server.requests
    expect(request?.params).to.deep.include({ bearer: token, x: '1' })
    expect(request?.url).to.match(/\/webrtc\/whip\/live\/a\?bearer=s3cret%2Ftoken%2B1&/u)
    const list = await rig.request('GET', 'api/sessions')
    expect(JSON.stringify(rig.server.log) + (await list.text())).to.not.include('s3cret')
  })

  it('answers 401 to who is denied, before anything is made', async () => {
    rig.server.denyAll('the s3cret cause')
    for (const [path, offer] of [
      ['whip/live/a', PUBLISH_OFFER],
      ['whep/live/a', PLAY_OFFER],
    ] as const) {
      const response = await rig.offer(path, offer)
      expect([response.status, response.headers.get('www-authenticate')]).to.eql([401, 'Bearer'])
      expect(await response.text()).to.equal('{"code":16,"message":"unauthorized","details":[]}')
    }
    expect(rig.parts.transports).to.eql([])
  })

  it('answers by the kind of the problem', async () => {
    await rig.publish('live/taken')
    const statusOf = async (response: Promise<Response>) => (await response).status
    expect(await statusOf(rig.offer('whip/live/taken', PUBLISH_OFFER))).to.equal(409)
    expect(await statusOf(rig.offer('whep/live/none', PLAY_OFFER))).to.equal(404)
    expect(await statusOf(rig.offer('whep/live/taken?layer=h', PLAY_OFFER))).to.equal(404)
    expect(await statusOf(rig.offer('whip/live/a', 'hello'))).to.equal(400)
    expect(await statusOf(rig.offer('whip/live/a', ''))).to.equal(400)
    expect(await statusOf(rig.offer('whip/live/a', PLAY_OFFER))).to.equal(406)
    expect(await statusOf(rig.offer('whip/live/a', 'x'.repeat(70_000)))).to.equal(413)
    expect(await statusOf(rig.offer('whip/live/a', '{}', { 'content-type': 'application/json' }))).to.equal(415)
    expect(await statusOf(rig.offer('whip/live/a', 'x', { 'content-type': 'text/html' }))).to.equal(415)
    expect(await statusOf(rig.request('POST', 'whip/live/a'))).to.equal(415)
    expect(await statusOf(rig.offer('whip/../..%2Fx', PUBLISH_OFFER))).to.be.oneOf([400, 404])
    expect(await statusOf(rig.request('DELETE', `/webrtc/session/~${'x'.repeat(36)}`))).to.equal(404)
    expect(rig.parts.transports).to.eql([])
    expect(rig.server.problems).to.eql([])
  })

  it('says when to try again, where nobody publishes yet', async () => {
    const { headers } = await rig.offer('whep/live/none', PLAY_OFFER, { origin: 'https://page.example' })
    expect(headers.get('retry-after')).to.equal('5')
    expect(headers.get('access-control-expose-headers')).to.include('Retry-After')
  })

  it('takes the names of streams as they were written, percent signs included', async () => {
    await rig.offer('whip/live/100%2525%20%C3%A4', PUBLISH_OFFER)
    await rig.offer('whip//live/b/', PUBLISH_OFFER)
    expect(rig.server.requests.map(({ streamPath }) => streamPath)).to.eql(['live/100%25 ä', 'live/b'])
  })

  it('says what a viewer could take', async () => {
    await rig.publish()
    const offer = PLAY_OFFER.replaceAll('H264/90000', 'H265/90000')
    const response = await rig.offer('whep/live/a', offer)
    expect(response.status).to.equal(406)
    expect(await messageOf(response)).to.match(/^this stream is H\.264; the player offers VP8, .*: publish in /u)
  })

  it('does not let a broken offer take the place of a publisher', async () => {
    await rig.server.configure({ publish: { kickexist: true } })
    let hasEnded = false
    const publisher = await rig.server.streams.publish(sessionInit('live/a'))
    publisher.onClose(() => (hasEnded = true))
    expect((await rig.offer('whip/live/a', PUBLISH_OFFER.replace('sha-256', 'sha-1'))).status).to.equal(400)
    expect(hasEnded).to.equal(false)
    expect((await rig.offer('whip/live/a', PUBLISH_OFFER)).status).to.equal(201)
    expect(hasEnded).to.equal(true)
  })

  it('sends clients to another server, with their bodies', async () => {
    rig.server.ctx.hooks.on('publish', () => {
      throw new StreamRedirect('https://other.example/webrtc/whip/live/a?x=1')
    })
    const response = await rig.offer('whip/live/a', PUBLISH_OFFER)
    expect(response.status).to.equal(307)
    expect(response.headers.get('location')).to.equal('https://other.example/webrtc/whip/live/a?x=1')
  })

  it('says when to try again, when there is no room; the path is free again', async () => {
    rig.parts.problem = new StreamUnavailable('too many sessions')
    const response = await rig.offer('whip/live/a', PUBLISH_OFFER)
    expect([response.status, response.headers.get('retry-after')]).to.eql([503, '5'])
    rig.parts.problem = undefined
    await published()
  })

  it('ends a session whose peer is refused by the transport', async () => {
    const offer = PUBLISH_OFFER.replace('8F:1E', '00:1E')
    expect((await rig.offer('whip/live/a', offer)).status).to.equal(400)
    expect(rig.transport.isClosed).to.equal(true)
    await published()
  })

  it('takes candidates that come later', async () => {
    const { url, etag } = await published()
    const body = `${OBS_ICE}${MEDIA}a=candidate:${CANDIDATE}\r\na=end-of-candidates\r\n`
    const response = await patch(url, body, { 'if-match': etag })
    expect(response.status).to.equal(204)
    expect(rig.transport.candidates).to.eql([CANDIDATE])
    expect(rig.transport.isComplete).to.equal(true)
    expect((await patch(url, body, {})).status).to.equal(428)
    expect((await patch(url, body, { 'if-match': '"other"' })).status).to.equal(412)
    for (const any of ['*', '"*"']) expect((await patch(url, body, { 'if-match': any })).status).to.equal(204)
    expect((await patch(url, 'hello', { 'if-match': etag })).status).to.equal(400)
    const wrongType = await patch(url, body, { 'if-match': etag, 'content-type': 'application/sdp' })
    expect([wrongType.status, wrongType.headers.get('accept-patch')]).to.eql([415, FRAGMENT])
  })

  it('restarts ICE', async () => {
    const { url, etag } = await published()
    const response = await patch(url, `${OTHER_ICE}${MEDIA}a=candidate:${CANDIDATE}\r\n`, { 'if-match': '*' })
    expect(response.status).to.equal(200)
    expect(response.headers.get('content-type')).to.equal(FRAGMENT)
    expect(response.headers.get('etag')).to.equal('"again1"')
    expect(await response.text())
      .to.include('a=ice-ufrag:again1\r\n')
      .and.include('a=candidate:1 1 udp')
    expect(rig.transport.restarts.map(({ usernameFragment }) => usernameFragment)).to.eql(['othr'])
    expect(rig.transport.candidates).to.eql([CANDIDATE])
    expect((await patch(url, `${OTHER_ICE}${MEDIA}`, { 'if-match': etag })).status).to.equal(412)
    expect((await patch(url, `${OTHER_ICE}${MEDIA}`, { 'if-match': '"again1"' })).status).to.equal(204)
    expect(rig.transport.restarts.length).to.equal(1)
  })

  it('ends a session with a DELETE, once', async () => {
    const { url } = await published()
    rig.transport.succeed()
    expect(rig.server.streams.get('live/a')).to.not.equal(undefined)
    expect((await rig.request('DELETE', url)).status).to.equal(200)
    expect(rig.transport.isClosed).to.equal(true)
    expect(rig.server.streams.get('live/a')).to.equal(undefined)
    expect((await rig.request('DELETE', url)).status).to.equal(404)
    expect(rig.server.problems).to.eql([])
  })

  it('lets operators end a publisher by its path', async () => {
    for (const path of ['api/stop/push/live/a', 'push/live/a']) {
      await published()
      expect((await rig.request('DELETE', path)).status).to.equal(204)
      expect(rig.transport.isClosed).to.equal(true)
    }
    expect((await rig.request('DELETE', 'push/live/a')).status).to.equal(404)
  })

  it('finds the sessions of an earlier generation', async () => {
    const { url } = await published()
    const { transport } = rig
    await rig.server.replace()
    expect((await patch(url, `${MEDIA}a=candidate:${CANDIDATE}\r\n`, { 'if-match': '*' })).status).to.equal(204)
    expect(transport.candidates).to.eql([CANDIDATE])
    expect((await rig.request('DELETE', 'push/live/a')).status).to.equal(204)
    await waitFor(() => transport.isClosed, { what: 'the end of the session' })
  })
})
