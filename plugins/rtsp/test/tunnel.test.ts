import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { RtspMessageReader, type RtspPart } from '../../../test/support/rtsp/message-reader.ts'
import { interleaved, RtspRig } from '../fixtures/rtsp-rig.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** One half of a tunnel: a connection, and what came over it. */
class Half {
  text = ''
  readonly parts: RtspPart[] = []
  isClosed = false
  readonly #socket: Socket
  readonly #reader = new RtspMessageReader()

  constructor(socket: Socket) {
    this.#socket = socket
    keep({ close: () => void socket.destroy() })
    socket.on('error', () => {})
    socket.on('close', () => (this.isClosed = true))
    socket.on('data', (bytes: Buffer) => {
      this.text += bytes.toString('latin1')
      this.parts.push(...this.#reader.push(bytes))
    })
  }

  write(text: string): void {
    this.#socket.write(text)
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Waits for as many answers of RTSP. */
  async answers(count: number): Promise<string[]> {
    const lines = () => this.parts.flatMap((part) => ('startLine' in part ? [part.startLine] : []))
    const found = () => lines().filter((line) => line.startsWith('RTSP/'))
    await waitFor(() => found().length >= count, { what: `${count} answers` })
    return found()
  }
}

describe('RTSP in a tunnel of HTTP', () => {
  let rig: RtspRig
  beforeEach(async () => {
    rig = await RtspRig.start({ tcp: { listenaddr: ':0' } })
    await rig.publish()
  })
  afterEach(() => expect(rig.server.problems).to.eql([]))

  async function open(method: 'GET' | 'POST', cookie: string | undefined, host = '127.0.0.1'): Promise<Half> {
    const socket = connect(rig.server.port(), host)
    await once(socket, 'connect')
    const half = new Half(socket)
    const lines = [
      `${method} /live/a HTTP/1.0`,
      ...(cookie === undefined ? [] : [`x-sessioncookie: ${cookie}`]),
      ...(method === 'POST' ? ['Content-Type: application/x-rtsp-tunnelled', 'Content-Length: 32767'] : []),
    ]
    half.write(`${lines.join('\r\n')}\r\n\r\n`)
    return half
  }

  async function openGet(cookie: string): Promise<Half> {
    const half = await open('GET', cookie)
    await waitFor(() => half.text.includes('\r\n\r\n'), { what: 'the answer to GET' })
    expect(half.text).to.match(/^HTTP\/1\.0 200 OK\r\n/u)
    expect(half.text).to.include('Content-Type: application/x-rtsp-tunnelled\r\n')
    return half
  }

  const request = (method: string, cseq: number, more = '') =>
    `${method} ${rig.url()}${method === 'SETUP' ? '/trackID=0' : ''} RTSP/1.0\r\nCSeq: ${cseq}\r\n${more}\r\n`
  const dialogue = () =>
    request('DESCRIBE', 1) + request('SETUP', 2, `Transport: ${interleaved(0)}\r\n`) + request('PLAY', 3)
  const framesOf = ({ parts }: Half) => parts.filter((part) => 'channel' in part)

  it('answers a POST by the GET, and plays', async () => {
    const get = await openGet('abc')
    const post = await open('POST', 'abc')
    post.write(base64(dialogue()))
    expect(await get.answers(3)).to.eql(['RTSP/1.0 200 OK', 'RTSP/1.0 200 OK', 'RTSP/1.0 200 OK'])
    await waitFor(() => framesOf(get).length > 0, { what: 'media' })
    expect(post.text).to.equal('')
  })

  it('takes base64 in any pieces, and with padding between', async () => {
    const get = await openGet('abc')
    const post = await open('POST', 'abc')
    for (const letter of base64(request('OPTIONS', 1))) post.write(letter)
    for (const [index, message] of [request('OPTIONS', 22), request('OPTIONS', 333)].entries()) {
      post.write(base64(message))
      await get.answers(index + 2)
    }
  })

  it('goes on with a second POST, once the first has ended and before', async () => {
    const get = await openGet('abc')
    const first = await open('POST', 'abc')
    first.write(base64(dialogue()))
    await get.answers(3)
    first.close()
    const second = await open('POST', 'abc')
    second.write(base64(request('OPTIONS', 4)))
    await get.answers(4)
    const third = await open('POST', 'abc')
    third.write(base64(request('OPTIONS', 5)))
    await get.answers(5)
    expect(get.isClosed).to.equal(false)
    await waitFor(() => second.isClosed, { what: 'the second POST to end' })
    expect(rig.server.streams.subscribers('live/a')).to.have.length(1)
  })

  it('keeps tunnels apart by their cookies', async () => {
    const [one, other] = [await openGet('one'), await openGet('other')]
    ;(await open('POST', 'other')).write(base64(request('OPTIONS', 1)))
    await other.answers(1)
    expect(await one.answers(0)).to.eql([])
  })

  it('ends its session with the GET, and the POST with it', async () => {
    const get = await openGet('abc')
    const post = await open('POST', 'abc')
    post.write(base64(dialogue()))
    await get.answers(3)
    get.close()
    await waitFor(() => rig.server.streams.subscribers('live/a').length === 0, { what: 'the player to end' })
    await waitFor(() => post.isClosed, { what: 'the POST to end' })
    // The cookie is free again.
    await openGet('abc')
  })

  it('ends at what is no base64', async () => {
    const get = await openGet('abc')
    const post = await open('POST', 'abc')
    post.write(base64(dialogue()))
    await get.answers(3)
    post.write('\u0000\u0001%%%%')
    await waitFor(() => get.isClosed && post.isClosed, { what: 'the tunnel to end' })
    expect(rig.server.streams.subscribers('live/a')).to.eql([])
  })

  it('ends at base64 of nonsense', async () => {
    const get = await openGet('abc')
    const post = await open('POST', 'abc')
    post.write(base64('nonsense that goes on\r\nand on\r\n\r\n'))
    await waitFor(() => get.isClosed && post.isClosed, { what: 'the tunnel to end' })
  })

  const REFUSED = [
    { name: 'a GET without a cookie', open: () => open('GET', undefined) },
    { name: 'a POST without a cookie', open: () => open('POST', undefined) },
    { name: 'a POST without a GET', open: () => open('POST', 'nobody') },
    { name: 'a POST from another address', open: () => open('POST', 'abc', '::1') },
    { name: 'a second GET', open: () => open('GET', 'abc') },
    { name: 'a cookie that is too long', open: () => open('GET', 'x'.repeat(200)) },
  ]
  for (const { name, open: openRefused } of REFUSED) {
    it(`refuses ${name}`, async () => {
      const get = await openGet('abc')
      const refused = await openRefused()
      await waitFor(() => refused.isClosed, { what: 'the end' })
      expect(refused.text).to.match(/^HTTP\/1\.0 400 Bad Request\r\n/u)
      ;(await open('POST', 'abc')).write(base64(request('OPTIONS', 1)))
      await get.answers(1)
    })
  }

  it('of an older generation finds its POST in the new one', async () => {
    const get = await openGet('abc')
    await rig.server.replace()
    const post = await open('POST', 'abc')
    post.write(base64(dialogue()))
    await get.answers(3)
    await waitFor(() => framesOf(get).length > 0, { what: 'media' })
  })
})
