import { expect } from 'chai'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { RtspAnswer, RtspProbe } from '../../../test/support/rtsp/rtsp-probe.ts'
import { ANNOUNCED, interleaved, packetsOn, RtspRig, SDP } from '../fixtures/rtsp-rig.ts'
import { parseRtpInfo } from '../wire/rtp-info.ts'

/** How a client comes to a state; it may publish at a path of its own. */
type State = {
  readonly name: string
  readonly reach: (rig: RtspRig, probe: RtspProbe, ownPath: string) => Promise<unknown>
  readonly publishes?: true
}

const STATES: readonly State[] = [
  { name: 'at first', reach: async () => {} },
  { name: 'described', reach: (rig, probe) => probe.request('DESCRIBE', rig.url()) },
  { name: 'set up', reach: (rig, probe) => rig.setUp(probe) },
  { name: 'playing', reach: (rig, probe) => rig.play(probe) },
  {
    name: 'paused',
    reach: async (rig, probe) => {
      await rig.play(probe)
      await probe.request('PAUSE', rig.url())
    },
  },
  {
    name: 'announced',
    publishes: true,
    reach: (rig, probe, path) => probe.request('ANNOUNCE', rig.url(path), { headers: SDP, body: ANNOUNCED }),
  },
  { name: 'set up to record', publishes: true, reach: (rig, probe, path) => rig.setUpRecording(probe, path) },
  {
    name: 'recording',
    publishes: true,
    reach: async (rig, probe, path) => {
      await rig.setUpRecording(probe, path)
      await probe.request('RECORD', rig.url(path))
    },
  },
  {
    name: 'torn down',
    reach: async (rig, probe) => {
      await rig.play(probe)
      await probe.request('TEARDOWN', rig.url())
    },
  },
]

/** What each method is answered, in the order of the states. */
const STATUSES: Readonly<Record<string, readonly number[]>> = {
  OPTIONS: [200, 200, 200, 200, 200, 200, 200, 200, 454],
  DESCRIBE: [200, 200, 200, 200, 200, 200, 200, 200, 200],
  ANNOUNCE: [200, 200, 200, 200, 200, 200, 200, 200, 200],
  SETUP: [200, 200, 200, 455, 455, 200, 200, 455, 454],
  PLAY: [454, 455, 200, 200, 200, 455, 455, 455, 454],
  PAUSE: [454, 455, 455, 200, 200, 455, 455, 200, 454],
  RECORD: [454, 455, 455, 455, 455, 455, 200, 200, 454],
  TEARDOWN: [454, 200, 200, 200, 200, 200, 200, 200, 454],
  GET_PARAMETER: [200, 200, 200, 200, 200, 200, 200, 200, 454],
  SET_PARAMETER: [200, 200, 200, 200, 200, 200, 200, 200, 454],
  REDIRECT: [501, 501, 501, 501, 501, 501, 501, 501, 501],
  FETCH: [501, 501, 501, 501, 501, 501, 501, 501, 501],
}

describe('RTSP, method by method', () => {
  let rig: RtspRig
  beforeEach(async () => {
    rig = await RtspRig.start()
    await rig.publish()
  })
  afterEach(() => expect(rig.server.problems).to.eql([]))

  function ask(method: string, probe: RtspProbe, place: number): Promise<RtspAnswer> {
    const url = rig.url(STATES[place]?.publishes === true && method !== 'DESCRIBE' ? `live/in-${place}` : 'live/a')
    if (method === 'ANNOUNCE') {
      return probe.request(method, rig.url(`live/announced-${place}`), { headers: SDP, body: ANNOUNCED })
    }
    if (method === 'SETUP') {
      return probe.request(method, `${url}/trackID=0`, { headers: { Transport: interleaved(0) } })
    }
    return probe.request(method, url)
  }

  for (const [method, statuses] of Object.entries(STATUSES)) {
    it(`answers ${method} in every state`, async () => {
      const answered = STATES.map(async ({ name, reach }, place) => {
        const probe = await rig.connect()
        await reach(rig, probe, `live/in-${place}`)
        const { status } = await ask(method, probe, place)
        expect((await probe.request('DESCRIBE', rig.url())).status, 'the connection goes on').to.equal(200)
        return { name, status }
      })
      expect(await Promise.all(answered)).to.eql(STATES.map(({ name }, place) => ({ name, status: statuses[place] })))
    })
  }
})

describe('RTSP dialogues', () => {
  let rig: RtspRig
  let probe: RtspProbe
  beforeEach(async () => {
    rig = await RtspRig.start()
    probe = await rig.connect()
  })
  afterEach(() => expect(rig.server.problems).to.eql([]))

  const statusOf = async (answer: Promise<RtspAnswer>) => (await answer).status

  /** Sends what a test writes, and reads the answer. */
  async function told(text: string): Promise<RtspAnswer> {
    probe.write(text)
    return probe.answer()
  }

  it('need a CSeq, a version that is known, and a stream', async () => {
    const url = rig.url()
    expect((await told(`OPTIONS ${url} RTSP/1.0\r\n\r\n`)).status).to.equal(400)
    const { status, headers } = await told(`OPTIONS ${url} RTSP/2.0\r\nCSeq: 7\r\n\r\n`)
    expect([status, headers.get('cseq')]).to.eql([505, '7'])
    for (const method of ['DESCRIBE', 'ANNOUNCE', 'SETUP']) {
      const init = { headers: { ...SDP, Transport: interleaved(0) }, body: ANNOUNCED }
      expect(await statusOf(probe.request(method, rig.url(''), init)), method).to.equal(400)
    }
    const { headers: options } = await probe.request('OPTIONS', '*')
    expect(options.get('public')).to.include('DESCRIBE').and.include('RECORD').and.include('GET_PARAMETER')
  })

  it('say that a stream is not there when nobody publishes it in time', async () => {
    const hasty = await RtspRig.start({ subscribe: { waittimeout: '20ms' } })
    const client = await hasty.connect()
    expect(await statusOf(client.request('DESCRIBE', hasty.url()))).to.equal(404)
    await hasty.publish()
    expect(await statusOf(client.request('DESCRIBE', hasty.url()))).to.equal(200)
  })

  it('wait for the stream', async () => {
    const described = probe.request('DESCRIBE', rig.url())
    await waitFor(() => rig.server.requests.length === 1, { what: 'the request' })
    await rig.publish()
    expect(await statusOf(described)).to.equal(200)
  })

  it('refuse what was announced without a format that is known, or without sense', async () => {
    const announce = (body: string) => statusOf(probe.request('ANNOUNCE', rig.url(), { headers: SDP, body }))
    expect(await announce(ANNOUNCED.replaceAll('H264', 'X-ODD').replaceAll('MPEG4-GENERIC', 'X-NEW'))).to.equal(415)
    expect(await announce('nonsense')).to.equal(400)
    expect(await announce('v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n')).to.equal(400)
    expect(await announce(ANNOUNCED)).to.equal(200)
  })

  it('name what was announced, and why it can not be taken', async () => {
    const body = ANNOUNCED.replaceAll('H264', 'X-ODD').replace('m=audio 0 RTP/AVP', 'm=audio 0 UDP')
    probe.write(`ANNOUNCE ${rig.url()} RTSP/1.0\r\nCSeq: 1\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    const { startLine } = await probe.answer()
    expect(startLine).to.include('video X-ODD/90000: RTP payloads of X-ODD are not supported')
    expect(startLine).to.include('audio UDP 97: it is not carried by RTP')
  })

  it('are held in small letters, with line ends of CR, and with lines that are no headers', async () => {
    await rig.publish()
    const url = rig.url()
    const lines = (method: string, more: readonly string[]) =>
      [`${method} ${url}`, 'no header', 'cseq : 1', ...more].join('\r').replace(url, `${url} rtsp/1.0`)
    expect((await told(`${lines('describe', [])}\r\r`)).status).to.equal(200)
    const transports = ['transport: RTP/SAVP;unicast;client_port=1-2', 'transport: RTP/AVP;unicast;interleaved=4 - 5']
    const setUp = lines('setup', transports).replace(url, `${url}/trackID=0`)
    const { status, headers } = await told(`${setUp}\r\r`)
    expect([status, headers.get('transport')]).to.eql([200, 'RTP/AVP/TCP;unicast;interleaved=4-5'])
    const session = `session: ${headers.get('session')?.split(';')[0]}`
    expect((await told(`${lines('play', [session])}\r\r`)).status).to.equal(200)
    await waitFor(() => packetsOn(probe, 4).length > 0, { what: 'media' })
  })

  it('go on after bytes that belong to nothing', async () => {
    await rig.setUpRecording(probe, 'live/in')
    probe.write(Buffer.from('9b0377fe1061801f', 'hex'))
    expect(await statusOf(probe.request('RECORD', rig.url('live/in')))).to.equal(200)
    const player = await rig.connect()
    const played = rig.play(player, 'live/in')
    for (const number of [1, 2, 3]) {
      probe.write('xyz ')
      probe.writeFrame(0, Buffer.from(`80e0000${number}0000${number}000000000076588840021ff`, 'hex'))
    }
    await played
    await waitFor(() => packetsOn(player, 0).length > 0, { what: 'a picture' })
    probe.write('nonsense\r\n\r\n')
    expect(await statusOf(probe.request('TEARDOWN', rig.url('live/in')))).to.equal(200)
  })

  it('refuse a second publisher, and the first goes on', async () => {
    await rig.publish()
    expect(await statusOf(probe.request('ANNOUNCE', rig.url(), { headers: SDP, body: ANNOUNCED }))).to.equal(409)
    expect(await statusOf(rig.play(probe))).to.equal(200)
  })

  it('do not understand parameters, but their absence', async () => {
    await rig.publish()
    await rig.play(probe)
    for (const method of ['GET_PARAMETER', 'SET_PARAMETER']) {
      const answer = await probe.request(method, rig.url())
      expect([answer.status, answer.headers.get('session')]).to.eql([200, probe.session])
      const headers = { 'Content-Type': 'text/parameters' }
      expect(await statusOf(probe.request(method, rig.url(), { headers, body: 'volume: 7\r\n' }))).to.equal(451)
    }
  })

  describe('in SETUP', () => {
    beforeEach(async () => {
      await rig.publish()
      await probe.request('DESCRIBE', rig.url())
    })

    const setUp = (transport: string, place = 0) =>
      probe.request('SETUP', `${rig.url()}/trackID=${place}`, { headers: { Transport: transport } })

    it('name the session, its timeout, and the channels', async () => {
      const { headers } = await setUp('RTP/AVP/TCP;unicast;interleaved=4-5')
      expect(headers.get('session')).to.match(/^[0-9a-f]{24};timeout=60$/u)
      expect(headers.get('transport')).to.equal('RTP/AVP/TCP;unicast;interleaved=4-5')
    })

    const OFFERS = [
      {
        name: 'the first that can be had',
        offer: `RTP/SAVP;unicast;client_port=1-2,${interleaved(2)}`,
        channels: '2-3',
      },
      { name: 'channels without numbers', offer: 'RTP/AVP/TCP;unicast', channels: '0-1' },
      { name: 'one channel', offer: 'RTP/AVP/TCP;unicast;interleaved=6', channels: '6-7' },
      { name: 'an odd channel', offer: 'RTP/AVP/TCP;unicast;interleaved=3-4', channels: '3-4' },
      { name: 'a channel that has no next', offer: 'RTP/AVP/TCP;unicast;interleaved=255-255', channels: '0-1' },
      { name: 'no destination', offer: `${interleaved(0)};destination=203.0.113.9`, channels: '0-1' },
    ]
    for (const { name, offer, channels } of OFFERS) {
      it(`take ${name}`, async () => {
        const { status, headers } = await setUp(offer)
        expect(status).to.equal(200)
        expect(headers.get('transport')).to.equal(`RTP/AVP/TCP;unicast;interleaved=${channels}`)
      })
    }

    for (const offer of ['', 'nonsense', 'RTP/SAVP/TCP;interleaved=0-1', 'RTP/AVP;unicast', 'RTP/AVP/SCTP;unicast']) {
      it(`refuse ${offer === '' ? 'no transport' : offer}`, async () => {
        expect((await setUp(offer)).status).to.equal(461)
        expect((await setUp(interleaved(0))).status).to.equal(200)
      })
    }

    it('give the second media other channels when both ask for the same', async () => {
      await setUp(interleaved(0))
      const { headers } = await setUp(interleaved(0), 1)
      expect(headers.get('transport')).to.include('interleaved=2-3')
    })

    it('refuse UDP for one media and the connection for the other', async () => {
      await setUp(interleaved(0))
      expect((await setUp('RTP/AVP;unicast;client_port=40000-40001', 1)).status).to.equal(461)
    })

    it('move a media that is set up again', async () => {
      await setUp(interleaved(0))
      expect((await setUp(interleaved(8))).headers.get('transport')).to.include('interleaved=8-9')
      await probe.request('PLAY', rig.url())
      await waitFor(() => packetsOn(probe, 8).length > 0, { what: 'media' })
      expect(packetsOn(probe, 0)).to.eql([])
    })

    it('are about the stream that was described, as is PLAY', async () => {
      await rig.publish('live/b')
      const headers = { Transport: interleaved(0) }
      expect(await statusOf(probe.request('SETUP', `${rig.url('live/b')}/trackID=0`, { headers }))).to.equal(404)
      expect((await setUp(interleaved(0))).status).to.equal(200)
      expect(await statusOf(probe.request('SETUP', `${rig.url('live/b')}/trackID=1`, { headers }))).to.equal(404)
      for (const streamPath of ['live/b', 'live', 'live/a/b']) {
        expect(await statusOf(probe.request('PLAY', rig.url(streamPath))), streamPath).to.equal(404)
      }
      for (const uri of ['*', rig.url(''), `${rig.url()}/trackID=0`, `${rig.url()}/?a=1`]) {
        expect(await statusOf(probe.request('PLAY', uri)), uri).to.equal(200)
      }
    })

    it('need the media named, and one that there is', async () => {
      const headers = { Transport: interleaved(0) }
      expect(await statusOf(probe.request('SETUP', rig.url(), { headers }))).to.equal(459)
      expect((await setUp(interleaved(0), 2)).status).to.equal(404)
    })

    it('take a media by the address of the stream where there is no other', async () => {
      await rig.publish('live/lone', { audio: false })
      await probe.request('DESCRIBE', rig.url('live/lone'))
      const headers = { Transport: interleaved(0) }
      expect(await statusOf(probe.request('SETUP', rig.url('live/lone'), { headers }))).to.equal(200)
    })

    it('take a media that was not described', async () => {
      const fresh = await rig.connect()
      const headers = { Transport: interleaved(0) }
      expect(await statusOf(fresh.request('SETUP', `${rig.url()}/trackID=1`, { headers }))).to.equal(200)
      expect(await statusOf(fresh.request('PLAY', rig.url()))).to.equal(200)
      await waitFor(() => packetsOn(fresh, 0).length > 0, { what: 'media' })
    })
  })

  describe('with control URLs as clients write them', () => {
    beforeEach(async () => {
      await rig.publish()
    })

    const WRITTEN = [
      { name: 'resolved, with a query', query: '?a=1', control: (url: string) => url.replace('?', '/trackID=1?') },
      { name: 'behind the query', query: '?a=1&b=c', control: (url: string) => `${url}/trackID=1` },
      { name: 'with a slash at the end', query: '', control: (url: string) => `${url}/trackID=1/` },
      { name: 'with a slash too many', query: '', control: (url: string) => `${url}//trackID=1` },
      { name: 'in small letters', query: '', control: (url: string) => `${url}/trackid=1` },
      { name: 'as streamid', query: '', control: (url: string) => `${url}/streamid=1` },
      { name: 'as stream', query: '', control: (url: string) => `${url}/stream=1` },
      { name: 'by the path alone', query: '', control: () => '/live/a/trackID=1' },
      {
        name: 'with name and password',
        query: '',
        control: (url: string) => `${url.replace('//', '//me:pass@')}/trackID=1`,
      },
    ]
    for (const { name, query, control } of WRITTEN) {
      it(`find the media ${name}`, async () => {
        const url = rig.url(`live/a${query}`)
        await probe.request('DESCRIBE', url)
        const headers = { Transport: interleaved(0) }
        expect(await statusOf(probe.request('SETUP', control(url), { headers }))).to.equal(200)
        expect(await statusOf(probe.request('PLAY', `${url}/`))).to.equal(200)
        await waitFor(() => packetsOn(probe, 0).length > 0, { what: 'media' })
        expect(packetsOn(probe, 0)[0]?.payloadType, 'of sound').to.equal(97)
      })
    }

    it('offer the whole and its medias by whole addresses', async () => {
      const { headers, body } = await probe.request('DESCRIBE', rig.url('live/a?a=1'))
      const controls = [...body.toString().matchAll(/a=control:(.*)\r\n/gu)].map(([, control]) => control)
      expect(controls).to.eql([rig.url('live/a?a=1'), ...[0, 1].map((place) => rig.url(`live/a/trackID=${place}?a=1`))])
      expect(headers.get('content-base')).to.equal(`${rig.url('live/a?a=1')}/`)
      expect(headers.get('content-type')).to.equal('application/sdp')
    })

    it('record the stream that was announced', async () => {
      await probe.request('ANNOUNCE', rig.url('live/in'), { headers: SDP, body: ANNOUNCED })
      const headers = { Transport: `${interleaved(0)};mode=record` }
      const setUp = (streamPath: string) =>
        statusOf(probe.request('SETUP', `${rig.url(streamPath)}/streamid=0`, { headers }))
      expect(await setUp('live/other')).to.equal(404)
      expect(await setUp('live/in')).to.equal(200)
      expect(await statusOf(probe.request('RECORD', rig.url('live/other')))).to.equal(404)
      expect(await statusOf(probe.request('RECORD', rig.url('live/in')))).to.equal(200)
    })

    const ANNOUNCED_AS = ['streamid=1', 'trackID=1', 'audio', 'stream=1/audio', 'rtsp://camera/live/in/audio']
    for (const control of ANNOUNCED_AS) {
      it(`find what was announced as ${control}`, async () => {
        const body = ANNOUNCED.replace('control:streamid=1', `control:${control}`)
        await probe.request('ANNOUNCE', rig.url('live/in'), { headers: SDP, body })
        const url = control.startsWith('rtsp:') ? control : `${rig.url('live/in')}/${control}`
        const headers = { Transport: `${interleaved(0)};mode=record` }
        expect(await statusOf(probe.request('SETUP', url, { headers }))).to.equal(200)
        // The media that is left is the other one, which the address of the stream means now.
        expect(await statusOf(probe.request('SETUP', rig.url('live/in'), { headers }))).to.equal(200)
        expect(await statusOf(probe.request('SETUP', rig.url('live/in'), { headers }))).to.equal(404)
      })
    }
  })

  it('play on after PAUSE, from a keyframe', async () => {
    const { script } = await rig.publish('live/a', { gopFrames: 10 })
    await rig.play(probe)
    script.writeFrames(5)
    await waitFor(() => packetsOn(probe, 0).length > 4, { what: 'media' })
    expect(await statusOf(probe.request('PAUSE', rig.url()))).to.equal(200)
    // Another player shows that the pictures have gone out.
    const other = await rig.connect()
    await rig.play(other)
    const before = packetsOn(probe, 0).length
    script.writeFrames(15)
    const last = () => packetsOn(other, 0).at(-1)?.payload.toString() ?? ''
    await waitFor(() => last().includes('video 14'), { what: 'media at the other player' })
    expect(packetsOn(probe, 0)).to.have.length(before)

    expect(await statusOf(probe.request('PLAY', rig.url()))).to.equal(200)
    script.writeFrames(30)
    const since = () =>
      packetsOn(probe, 0)
        .slice(before)
        .map(({ payload }) => payload.toString())
    await waitFor(() => since().some((text) => text.includes('video 29')), { what: 'media' })
    // Parameter sets stand before the keyframe.
    const first = since().find((text) => text.includes('video'))
    expect(first).to.match(/video (?:10|20) /u)
  })

  it('say in RTP-Info with what the media begins', async () => {
    const { script } = await rig.publish('live/a', {}, 10)
    await rig.setUp(probe)
    await probe.request('SETUP', `${rig.url()}/trackID=1`, { headers: { Transport: interleaved(2) } })
    const { headers } = await probe.request('PLAY', rig.url())
    script.writeFrames(20)
    await waitFor(() => packetsOn(probe, 0).length > 10 && packetsOn(probe, 2).length > 10, { what: 'media' })
    const info = parseRtpInfo(headers.get('rtp-info') ?? '')
    expect(info.map(({ url }) => url)).to.eql([`${rig.url()}/trackID=0`, `${rig.url()}/trackID=1`])
    for (const [place, { sequenceNumber, rtpTime }] of info.entries()) {
      const [first] = packetsOn(probe, place * 2)
      expect({ sequenceNumber, rtpTime }).to.eql({ sequenceNumber: first?.sequenceNumber, rtpTime: first?.timestamp })
    }
    expect(headers.get('range')).to.equal('npt=now-')
  })

  it('play and publish one stream after the other on a connection', async () => {
    await rig.publish()
    await rig.publish('live/b')
    await rig.play(probe)
    const first = probe.session
    await probe.request('TEARDOWN', rig.url())
    await waitFor(() => rig.server.streams.subscribers('live/a').length === 0, { what: 'the end' })
    probe.session = undefined
    // Without DESCRIBE, too.
    const headers = { Transport: interleaved(0) }
    expect(await statusOf(probe.request('SETUP', `${rig.url('live/b')}/trackID=0`, { headers }))).to.equal(200)
    expect(probe.session).to.not.equal(first)
    expect(await statusOf(probe.request('PLAY', rig.url('live/b')))).to.equal(200)
    await probe.request('TEARDOWN', rig.url('live/b'))
    probe.session = undefined
    expect(await statusOf(rig.setUpRecording(probe, 'live/c'))).to.equal(200)
    expect(await statusOf(probe.request('RECORD', rig.url('live/c')))).to.equal(200)
  })

  it('play two streams at once over one connection', async () => {
    await rig.publish()
    await rig.publish('live/b', { gopFrames: 5 })
    await rig.play(probe)
    probe.session = undefined
    await rig.play(probe, 'live/b', interleaved(2))
    await waitFor(() => packetsOn(probe, 0).length > 0 && packetsOn(probe, 2).length > 0, { what: 'both' })
  })

  it('answer requests in their order that come at once', async () => {
    await rig.publish()
    const url = rig.url()
    const head = (method: string, cseq: number, more = '') =>
      `${method} ${url}${method === 'SETUP' ? '/trackID=0' : ''} RTSP/1.0\r\nCSeq: ${cseq}\r\n${more}\r\n`
    const requests = ['OPTIONS', 'DESCRIBE', 'SETUP', 'PLAY', 'GET_PARAMETER']
    const transport = `Transport: ${interleaved(0)}\r\n`
    probe.write(requests.map((method, cseq) => head(method, cseq, method === 'SETUP' ? transport : '')).join(''))
    // Far more than are read before the first is answered.
    probe.write(Array.from({ length: 100 }, (_, index) => head('OPTIONS', 5 + index)).join(''))
    await waitFor(() => probe.messages.length === 105, { what: '105 answers' })
    expect(probe.messages.map(({ headers }) => Number(headers.get('cseq')))).to.eql(probe.messages.map((_, i) => i))
    expect(new Set(probe.messages.map(({ startLine }) => startLine))).to.eql(new Set(['RTSP/1.0 200 OK']))
    await waitFor(() => packetsOn(probe, 0).length > 0, { what: 'media' })
  })

  it('know no session by a wrong name', async () => {
    await rig.publish()
    for (const session of ['0123456789', '', 'a b']) {
      const headers = { Session: session }
      expect(await statusOf(probe.request('PLAY', rig.url(), { headers })), session).to.equal(454)
    }
  })

  it('end a session with its connection', async () => {
    await rig.publish()
    await rig.play(probe)
    const other = await rig.connect()
    await rig.setUpRecording(other, 'live/in')
    await other.request('RECORD', rig.url('live/in'))
    expect(rig.server.streams.subscribers('live/a')).to.have.length(1)
    probe.close()
    other.close()
    await waitFor(() => rig.server.streams.subscribers('live/a').length === 0, { what: 'the player to end' })
    await waitFor(() => rig.server.streams.get('live/in') === undefined, { what: 'the publisher to end' })
  })
})
