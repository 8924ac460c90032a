import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'chai'
import { createTestServer, type TestServer } from 'sluice/testing'
import rtsp from '../../plugins/rtsp/index.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ReceivedUnits } from '../support/rtsp/received-units.ts'
import { PCMU_MEDIA, ScriptedSource, type Script, type ScriptedSourceInit } from '../support/rtsp/scripted-source.ts'

const USER = 'someone:pa55word@'
const QUERY = '?token=s3cret'
const SECRETS = /pa55word|s3cret/u
const PACKET_MS = 20
const UNAUTHORIZED = '401 Unauthorized'
const PATH = 'live/camera'

type Server = TestServer<unknown>
type Answer = { readonly code: number; readonly message: string }

async function start(config: Record<string, unknown> = {}): Promise<Server> {
  const server = await createTestServer(rtsp, { beside: ['relay'], config: { transport: 'tcp', ...config } })
  keep({ close: () => server.stop() })
  return server
}

async function ask(server: Server, path: string, body?: unknown): Promise<Answer & { readonly status: number }> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(`${server.origin}${path}`, body === undefined ? {} : init)
  return { status: response.status, ...((await response.json()) as Answer) }
}

const pull = (server: Server, remoteURL: string, options = {}) =>
  ask(server, '/api/stream/pull', { remoteURL, streamPath: PATH, ...options })

/** The methods that a source was asked by, up to the first PLAY. */
const opening = ({ methods }: ScriptedSource) => methods.slice(0, methods.indexOf('PLAY') + 1)

/** Packets of the scripted source with none missing. */
async function expectSound(server: Server, count = 5): Promise<ReceivedUnits> {
  const received = await ReceivedUnits.of(server.streams, PATH)
  await waitFor(() => received.units.length >= count)
  const times = received.timesMs('audio')
  for (const [index, timeMs] of times.slice(1).entries()) expect(timeMs - times[index]!).to.equal(PACKET_MS)
  return received
}

function digestIsRight(text: string, method: string, algorithm: 'md5' | 'sha256'): boolean {
  const fields = Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/gu)].map(([, name, value]) => [name, value]))
  const hash = (value: string) => createHash(algorithm).update(value).digest('hex')
  const secret = hash(`someone:${fields['realm']}:pa55word`)
  return fields['response'] === hash(`${secret}:${fields['nonce']}:${hash(`${method}:${fields['uri']}`)}`)
}

describe('a pull by RTSP', () => {
  const challenges = {
    basic: 'Basic realm="x"',
    md5: 'Digest realm="x", nonce="n"',
    sha256: 'Digest realm="x", nonce="n", algorithm=SHA-256',
  } as const
  for (const [name, challenge] of Object.entries(challenges) as [keyof typeof challenges, string][]) {
    it(`gives name and password as they are asked for: ${name}`, async () => {
      const isRight = (text: string, method: string) =>
        name === 'basic'
          ? text === `Basic ${Buffer.from(USER.slice(0, -1)).toString('base64')}`
          : digestIsRight(text, method, name)
      const script: Script = ({ method, headers }) =>
        isRight(headers.get('authorization') ?? '', method)
          ? undefined
          : { status: UNAUTHORIZED, headers: { 'WWW-Authenticate': challenge } }
      const source = await ScriptedSource.start({ script })
      const server = await start()
      expect(await pull(server, source.url(USER) + QUERY)).to.include({ code: 0 })
      await expectSound(server)
      expect(opening(source)).to.eql(['OPTIONS', 'OPTIONS', 'DESCRIBE', 'SETUP', 'PLAY'])
      expect(source.requests.every(({ uri }) => !uri.includes('@'))).to.equal(true)
      expect(JSON.stringify(server.log)).not.to.match(SECRETS)
    })
  }

  it('says that its password is wrong, and asks no more than its rule says', async () => {
    const script: Script = () => ({ status: UNAUTHORIZED, headers: { 'WWW-Authenticate': challenges.md5 } })
    const source = await ScriptedSource.start({ script })
    const rule = { url: source.url(USER) + QUERY, maxretry: 2, retryinterval: '20ms' }
    const server = await start({ pull: { [PATH]: rule } })
    const failures = () => server.problems.filter(({ msg }) => msg.startsWith('the pull failed'))
    await waitFor(() => failures().some(({ level }) => level === 'error'))
    expect(failures()).to.have.length(3)
    expect(failures()[0]?.msg).to.equal('the pull failed: the server answered 401 Unauthorized to OPTIONS')
    expect(source.methods).to.eql(['OPTIONS', 'OPTIONS', 'OPTIONS', 'OPTIONS', 'OPTIONS', 'OPTIONS'])
    expect(JSON.stringify(server.log)).not.to.match(SECRETS)
  })

  const oddities: readonly (readonly [what: string, init: ScriptedSourceInit])[] = [
    ['that counts its answers on its own', { cseqOf: (cseq) => String(Number(cseq) * 7 + 1000) }],
    ['that does not count its answers', { cseqOf: () => '0' }],
    ['that does not say what it can do', { script: ({ method }) => (method === 'OPTIONS' ? {} : undefined) }],
    [
      'that refuses to say what it can do',
      { script: ({ method }) => (method === 'OPTIONS' ? { status: '405 No' } : undefined) },
    ],
    ['with absolute controls', { medias: PCMU_MEDIA.replace('track1', 'rtsp://192.0.2.1/elsewhere/track1') }],
    ['with a control that begins with a slash', { medias: PCMU_MEDIA.replace('track1', '/track1') }],
    ['with a control for the whole', { attributes: 'a=control:*\r\n' }],
    [
      'with a medium that cannot be carried, and a text',
      {
        medias: `m=application 0 RTP/AVP 107\r\na=rtpmap:107 vnd.onvif.metadata/90000\r\na=control:meta\r\nm=video 0 RTP/AVP 99\r\na=rtpmap:99 H266/90000\r\na=control:track0\r\n${PCMU_MEDIA}`,
      },
    ],
    [
      'with several formats for a medium',
      { medias: PCMU_MEDIA.replace('AVP 0', 'AVP 99 0').replace('a=', 'a=rtpmap:99 iLBC/8000\r\na=') },
    ],
  ]
  for (const [what, init] of oddities) {
    it(`takes a source ${what}`, async () => {
      const source = await ScriptedSource.start(init)
      const server = await start()
      expect(await pull(server, source.url())).to.include({ code: 0 })
      await expectSound(server)
    })
  }

  it('names media as the source does', async () => {
    const names: readonly (readonly [control: string, base: string | undefined, uri: RegExp])[] = [
      ['track1', undefined, /^rtsp:\/\/127\.0\.0\.1:\d+\/camera\?token=s3cret\/track1$/u],
      ['track1', 'rtsp://192.0.2.1/base/', /^rtsp:\/\/192\.0\.2\.1\/base\/track1$/u],
      ['rtsp://192.0.2.1/elsewhere/track1', undefined, /^rtsp:\/\/192\.0\.2\.1\/elsewhere\/track1$/u],
    ]
    for (const [control, base, uri] of names) {
      const body = `v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n${PCMU_MEDIA.replace('track1', control)}`
      const headers = base === undefined ? {} : { 'Content-Base': base }
      const source = await ScriptedSource.start({
        script: ({ method }) => (method === 'DESCRIBE' ? { headers, body } : undefined),
      })
      const server = await start()
      expect(await pull(server, source.url() + QUERY)).to.include({ code: 0 })
      expect(source.requests.find(({ method }) => method === 'SETUP')?.uri).to.match(uri)
    }
  })

  describe('that is sent elsewhere', () => {
    const redirect =
      (location: () => string, status = '302 Found'): Script =>
      ({ method }) =>
        method === 'DESCRIBE' ? { status, headers: { Location: location() } } : undefined
    const authorizationsOf = ({ requests }: ScriptedSource) =>
      requests.flatMap(({ headers }) => headers.get('authorization') ?? [])
    const asksForName: Script = ({ headers }) =>
      headers.has('authorization')
        ? undefined
        : { status: UNAUTHORIZED, headers: { 'WWW-Authenticate': challenges.basic } }

    for (const status of ['301 Moved Permanently', '302 Found']) {
      it(`goes there by ${status}, and is known there by the same name`, async () => {
        const target = await ScriptedSource.start({ script: asksForName })
        const source = await ScriptedSource.start({ script: redirect(() => target.url(), status) })
        const server = await start()
        expect(await pull(server, source.url(USER))).to.include({ code: 0 })
        await expectSound(server)
        expect(authorizationsOf(target)).not.to.eql([])
        await waitFor(() => source.connections.size === 0)
      })
    }

    it('tells its name to no other host', async () => {
      const target = await ScriptedSource.start({ script: asksForName })
      const location = () => target.url().replace('127.0.0.1', 'localhost')
      const source = await ScriptedSource.start({ script: redirect(location) })
      const server = await start()
      const answer = await pull(server, source.url(USER) + QUERY)
      expect(answer).to.include({ status: 502, message: 'the server answered 401 Unauthorized to OPTIONS' })
      expect(authorizationsOf(target)).to.eql([])
      expect(JSON.stringify([answer, server.log])).not.to.match(SECRETS)
    })

    it('keeps to the transport of its address', async () => {
      const target = await ScriptedSource.start()
      const source = await ScriptedSource.start({ script: redirect(() => target.url()) })
      const server = await start({ transport: 'udp' })
      expect(await pull(server, source.url('', 'rtspt'))).to.include({ code: 0 })
      expect(target.requests.find(({ method }) => method === 'SETUP')?.headers.get('transport')).to.match(/TCP/u)
    })

    it('gives up after five times', async () => {
      const source: ScriptedSource = await ScriptedSource.start({ script: redirect(() => source.url(USER)) })
      const server = await start()
      const answer = await pull(server, source.url(USER) + QUERY)
      expect(answer).to.include({ status: 502, message: 'more than 5 redirects' })
      expect(source.methods.filter((method) => method === 'DESCRIBE')).to.have.length(6)
    })

    it('goes to no address of another protocol', async () => {
      const source = await ScriptedSource.start({ script: redirect(() => `http://${USER}127.0.0.1/x${QUERY}`) })
      const answer = await pull(await start(), source.url())
      expect(answer.message).to.match(/^not an address of RTSP/u)
      expect(JSON.stringify(answer)).not.to.match(SECRETS)
    })
  })

  describe('by whatever transport gets through', () => {
    const transportOf = async (server: Server) => {
      const list = JSON.stringify(await ask(server, '/api/stream/list'))
      return /"transport":"(\w+)"/u.exec(list)?.[1]
    }

    it('is by UDP where that is so', async () => {
      const source = await ScriptedSource.start()
      const server = await start({ transport: 'auto' })
      expect(await pull(server, source.url())).to.include({ code: 0 })
      await expectSound(server)
      expect(await transportOf(server)).to.equal('udp')
      await ask(server, `/api/stream/stop/${PATH}`, {})
      await waitFor(() => source.methods.includes('TEARDOWN'))
    })

    it('is by TCP where nothing comes by UDP', async () => {
      const source = await ScriptedSource.start({ swallowsDatagrams: true })
      const server = await start({ transport: 'auto' })
      expect(await pull(server, source.url())).to.include({ code: 0 })
      await expectSound(server)
      expect(await transportOf(server)).to.equal('tcp')
      await waitFor(() => source.connections.size === 1)
      expect(source.methods.filter((method) => method === 'TEARDOWN')).to.have.length(1)
    })

    it('is by TCP at once where UDP is refused', async () => {
      const script: Script = ({ method, headers }) =>
        method === 'SETUP' && !/TCP/u.test(headers.get('transport') ?? '')
          ? { status: '461 Unsupported Transport' }
          : undefined
      const source = await ScriptedSource.start({ script })
      const server = await start({ transport: 'auto' })
      expect(await pull(server, source.url())).to.include({ code: 0 })
      await expectSound(server)
      expect(source.methods.filter((method) => method === 'PLAY')).to.have.length(1)
    })

    it('fails where it may be by UDP alone, and nothing comes', async () => {
      const source = await ScriptedSource.start({ swallowsDatagrams: true })
      const answer = await pull(await start({ transport: 'udp' }), source.url())
      expect(answer).to.include({ status: 502, message: 'no media came by UDP within 3 s' })
    })
  })

  describe('keeps its session alive', () => {
    const cases: readonly (readonly [method: string, methods: string])[] = [
      ['GET_PARAMETER', 'SETUP, PLAY, GET_PARAMETER'],
      ['OPTIONS', 'SETUP, PLAY'],
    ]
    for (const [kept, methods] of cases) {
      it(`by ${kept}, whether that is answered or not`, async () => {
        const script: Script = ({ method }) => {
          if (source.methods.includes('PLAY') && method !== 'PLAY') return null
          return method === 'OPTIONS' ? { headers: { Public: methods } } : undefined
        }
        const source = await ScriptedSource.start({ script, session: 'scripted;timeout=1' })
        const server = await start()
        expect(await pull(server, source.url())).to.include({ code: 0 })
        const later = () => source.requests.slice(source.methods.indexOf('PLAY') + 1)
        await waitFor(() => later().length > 2)
        expect(new Set(later().map(({ method }) => method))).to.eql(new Set([kept]))
        expect(later()[0]?.headers.get('session')).to.equal('scripted')
        await expectSound(server)
      })
    }
  })

  it('begins again when its source hangs, and when that leaves', async () => {
    const source = await ScriptedSource.start()
    const rule = { url: source.url(), maxretry: -1, retryinterval: '20ms' }
    const server = await start({ pull: { [PATH]: rule }, publish: { publishtimeout: '3s' } })
    const received = await expectSound(server)
    for (const end of ['hang', 'kill'] as const) {
      const before = received.units.length
      for (const connection of source.connections) connection[end]()
      await waitFor(() => received.events.includes('source ended'))
      received.events.length = 0
      await waitFor(() => received.units.length > before + 5)
    }
    expect(source.connections.size).to.equal(1)
    expect(server.problems.map(({ msg }) => msg)).to.eql([
      'the pull failed: no media came',
      'the pull failed: the connection has ended: read ECONNRESET',
    ])
  })

  it('is over when a recording says goodbye, and begins again when another source does', async () => {
    for (const attributes of ['a=range:npt=0-12.5\r\n', 'a=range:npt=0-\r\n']) {
      const source = await ScriptedSource.start({ attributes })
      const rule = { url: source.url(), maxretry: 1, retryinterval: '20ms' }
      const server = await start({ pull: { [PATH]: rule } })
      await expectSound(server)
      for (const connection of source.connections) connection.sayGoodbye()
      const isOver = attributes.includes('12.5')
      const text = isOver ? 'the pull has ended' : 'the pull failed: the source has ended'
      await waitFor(() => server.log.some(({ msg }) => msg === text))
      if (!isOver) await expectSound(server)
      expect(source.methods.filter((method) => method === 'PLAY')).to.have.length(isOver ? 1 : 2)
    }
  })

  it('repeats a recording as often as it is told', async () => {
    const source = await ScriptedSource.start({ attributes: 'a=range:npt=0-12.5\r\n' })
    const server = await start({ pull: { [PATH]: { url: source.url(), loop: 1 } } })
    const received = await expectSound(server)
    for (const connection of source.connections) connection.sayGoodbye()
    await waitFor(() => received.events.includes('source ended'))
    const { length } = received.units
    await waitFor(() => received.units.length > length)
    for (const connection of source.connections) connection.sayGoodbye()
    await waitFor(() => server.log.some(({ msg }) => msg === 'the pull has ended'))
    expect(source.methods.filter((method) => method === 'PLAY')).to.have.length(2)
    expect(server.problems).to.eql([])
  })

  describe('by a tunnel', () => {
    const answers = {
      'that is refused': ['HTTP/1.0 404 Not Found\r\n\r\n', /^the server answers HTTP, but opens no tunnel$/u],
      'that is no HTTP': ['nonsense\r\n\r\n', /^the server opens no tunnel$/u],
      'that breaks once it is opened': [
        'HTTP/1.0 200 OK\r\n\r\n',
        /^(?:the server opens no tunnel|the connection|can't connect)/u,
      ],
    } as const
    for (const [what, [answer, message]] of Object.entries(answers)) {
      it(`says so of one ${what}`, async () => {
        const sockets: Socket[] = []
        const web = createServer((socket) => {
          sockets.push(socket.on('error', () => {}))
          if (sockets.length === 1) socket.once('data', () => socket.write(answer))
          else for (const one of sockets) one.resetAndDestroy()
        })
        keep({ close: () => void web.close() })
        await once(web.listen(0, '127.0.0.1'), 'listening')
        const { port } = web.address() as AddressInfo
        const refused = await pull(await start(), `rtsph://${USER}127.0.0.1:${port}/x${QUERY}`)
        expect(refused.status).to.equal(502)
        expect(refused.message).to.match(message).and.not.match(SECRETS)
        await waitFor(() => sockets.every(({ destroyed }) => destroyed))
      })
    }
  })

  describe('of a recording', () => {
    const attributes = 'a=range:npt=0-100\r\n'
    const told = ({ requests }: ScriptedSource) =>
      requests.slice(3).map(({ method, headers }) => [method, headers.get('range') ?? headers.get('scale')])

    it('is paused, goes on, and is sought in', async () => {
      const source = await ScriptedSource.start({ attributes })
      const server = await start()
      await pull(server, source.url())
      const received = await expectSound(server)
      expect(await ask(server, `/api/stream/pause/${PATH}`, {})).to.include({ code: 0 })
      await ask(server, `/api/stream/resume/${PATH}`, {})
      expect(await ask(server, `/api/stream/seek/${PATH}`, { timeStamp: 50.5 })).to.include({ code: 0 })
      await waitFor(() => received.events.includes('discontinuity'))
      const before = received.units.length
      await waitFor(() => received.units.length > before + 5)
      await ask(server, `/api/stream/seek/${PATH}`, { timeStamp: 5000 })
      expect(told(source)).to.eql([
        ['PLAY', 'npt=0.000-'],
        ['PAUSE', undefined],
        ['PLAY', undefined],
        ['PLAY', 'npt=50.500-'],
        ['PLAY', 'npt=100.000-'],
      ])
      expect(received.closed).to.equal(undefined)
    })

    it('is not sought in where it is live', async () => {
      const source = await ScriptedSource.start()
      const server = await start()
      await pull(server, source.url())
      expect(await ask(server, `/api/stream/seek/${PATH}`, { timeStamp: 5 })).to.include({ status: 501 })
    })

    it('is played at another speed, as far as its source does', async () => {
      const script: Script = ({ method, headers }) => {
        if (headers.get('scale') === '8') return { status: '457 Invalid Range' }
        return method === 'PLAY' && headers.get('scale') === '4' ? { headers: { Scale: '1.0' } } : undefined
      }
      const source = await ScriptedSource.start({ attributes, script })
      const server = await start()
      await pull(server, source.url())
      await expectSound(server)
      const speed = (value: string, path = PATH) => ask(server, `/rtsp/api/playback/speed/${path}?speed=${value}`)
      expect(await speed('2')).to.include({ status: 200, code: 0 })
      expect(await speed('4')).to.include({ status: 200, message: 'the source plays at a scale of 1' })
      expect(await speed('8')).to.include({ status: 200, message: 'the server answered 457 Invalid Range to PLAY' })
      expect((await speed('3')).message).to.match(/^speed must be/u)
      expect((await speed('2', 'live/other')).message).to.equal('no RTSP pull has this path')
      expect(told(source).slice(1)).to.eql([
        ['PLAY', '2'],
        ['PLAY', '4'],
        ['PLAY', '8'],
      ])
    })
  })
})
