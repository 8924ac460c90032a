import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, Server as TlsServer } from 'node:tls'
import { expect } from 'chai'
import { generate } from 'selfsigned'
import { keep } from '../../peers/lifetime.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { RtspMessageReader } from './message-reader.ts'
import { RtspProbe } from './rtsp-probe.ts'

const URL = 'rtsp://127.0.0.1/live/probe'
const DESCRIBED = 'RTSP/1.0 200 OK\r\nCSeq: 1\r\nsession: abc;timeout=60\r\nContent-Length: 5\r\n\r\nv=0\r\n'
const FRAME = Buffer.from('24010003aabbcc', 'hex')
const OPTIONS = 'OPTIONS * RTSP/1.0\r\nCSeq: 7\r\n\r\n'

/** A server that gives one answer to each message that comes, and keeps those. */
async function listen(server: Server, answers: readonly (string | Buffer)[], texts: string[] = []): Promise<number> {
  keep({ close: () => void server.close() })
  const talk = (socket: Socket) => {
    const left = [...answers]
    socket.on('data', (bytes: Buffer) => {
      texts.push(bytes.toString('latin1'))
      const answer = left.shift()
      if (answer === undefined) socket.end()
      else socket.write(answer)
    })
  }
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', talk)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

describe('the reader of RTSP messages', () => {
  it('gives the same parts however the bytes are cut', () => {
    const bytes = Buffer.concat([
      FRAME,
      Buffer.from(DESCRIBED),
      FRAME,
      FRAME,
      Buffer.from(OPTIONS),
      Buffer.from('RTSP'),
    ])
    const whole = new RtspMessageReader().push(bytes)
    expect(whole.map((part) => ('channel' in part ? part.channel : part.startLine))).to.eql([
      1,
      'RTSP/1.0 200 OK',
      1,
      1,
      'OPTIONS * RTSP/1.0',
    ])
    expect(whole[0]).to.eql({ channel: 1, data: FRAME.subarray(4) })
    expect(whole[1]).to.have.property('body').eql(Buffer.from('v=0\r\n'))
    const reader = new RtspMessageReader()
    expect([...bytes].flatMap((byte) => reader.push(Buffer.of(byte)))).to.eql(whole)
    expect(reader.rest.toString()).to.equal('RTSP')
  })
})

describe('the RTSP probe', () => {
  it('sends requests, keeps the session, and tells answers from packets and requests', async () => {
    const texts: string[] = []
    const played = Buffer.concat([
      FRAME,
      Buffer.from(OPTIONS),
      Buffer.from('RTSP/1.0 454 Session Not Found\r\nCSeq: 2\r\n\r\n'),
    ])
    const probe = await RtspProbe.connect({ port: await listen(createServer(), [DESCRIBED, played], texts) })
    const described = await probe.request('DESCRIBE', URL, { headers: { Accept: 'application/sdp' } })
    expect(described.status).to.equal(200)
    expect(described.body.toString()).to.equal('v=0\r\n')
    expect((await probe.request('PLAY', URL, { body: 'x' })).status).to.equal(454)
    expect(texts).to.eql([
      `DESCRIBE ${URL} RTSP/1.0\r\nCSeq: 1\r\nAccept: application/sdp\r\n\r\n`,
      `PLAY ${URL} RTSP/1.0\r\nCSeq: 2\r\nSession: abc\r\nContent-Length: 1\r\n\r\nx`,
    ])
    expect(probe.frames).to.eql([{ channel: 1, data: FRAME.subarray(4) }])
    expect(probe.messages[1]?.startLine).to.equal('OPTIONS * RTSP/1.0')
    probe.writeFrame(1, FRAME.subarray(4))
    await probe.closed
    expect(texts[2]).to.equal(FRAME.toString('latin1'))
    expect(probe.isClosed).to.equal(true)
  })

  it('fails when the connection ends without an answer, or nobody is there', async () => {
    const server = createServer()
    const port = await listen(server, [])
    const probe = await RtspProbe.connect({ port })
    const error: unknown = await probe.request('OPTIONS', '*').catch((cause: unknown) => cause)
    expect(error).to.be.an('error').with.property('message', 'the connection ended without an answer to OPTIONS')
    server.close()
    await once(server, 'close')
    const refused: unknown = await RtspProbe.connect({ port }).catch((cause: unknown) => cause)
    expect(refused).to.be.an('error').with.property('message').that.includes('ECONNREFUSED')
  })

  it('speaks TLS', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }])
    const server = createTlsServer({ key, cert })
    const probe = await RtspProbe.connect({ port: await listen(server, [DESCRIBED]), tls: true })
    expect((await probe.request('DESCRIBE', URL)).status).to.equal(200)
    await waitFor(() => probe.session === 'abc')
    probe.close()
    await probe.closed
  })
})
