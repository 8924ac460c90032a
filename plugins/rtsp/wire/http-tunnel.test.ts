import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { Base64Decoder } from './base64-decoder.ts'
import { loadDialogue } from './fixtures/dialogue.ts'
import { bytesOf, bytewise, readAll } from './fixtures/read-all.ts'
import {
  MAX_SESSION_COOKIE_LENGTH,
  parseTunnelRequest,
  serializeTunnelAnswer,
  serializeTunnelRequest,
  type TunnelRequest,
} from './http-tunnel.ts'
import type { RtspRequest } from './message/message.ts'
import { RtspReader } from './message/reader.ts'

const COOKIE = '20d211b6acfb38c9'
const HEADER = `x-sessioncookie: ${COOKIE}\r\n`

/** The head that the bytes begin with, and what follows it. */
function readRequest(bytes: Buffer): { request: RtspRequest; rest: Buffer } {
  const reader = new RtspReader()
  reader.push(bytes)
  const request = reader.read()
  if (request?.kind !== 'request') throw new Error('no request')
  return { request, rest: reader.takeRest() }
}

function decode(pieces: Iterable<Buffer>): Buffer {
  const decoder = new Base64Decoder()
  return Buffer.concat(Array.from(pieces, (piece) => decoder.push(piece)))
}

const requests: { name: string; text: string; expected: TunnelRequest | null }[] = [
  {
    name: 'the GET of QuickTime',
    text: `GET /live/a?s=1 HTTP/1.0\r\nX-SessionCookie: ${COOKIE}\r\nAccept: application/x-rtsp-tunnelled\r\n\r\n`,
    expected: { direction: 'get', sessionCookie: COOKIE, path: '/live/a?s=1' },
  },
  {
    name: 'a POST of HTTP 1.1',
    text: `POST /a HTTP/1.1\r\n${HEADER}Content-Length: 32767\r\n\r\n`,
    expected: { direction: 'post', sessionCookie: COOKIE, path: '/a' },
  },
  { name: 'no cookie', text: 'GET /a HTTP/1.0\r\n\r\n', expected: null },
  { name: 'another method', text: `PUT /a HTTP/1.0\r\n${HEADER}\r\n`, expected: null },
  { name: 'a request of RTSP', text: `GET /a RTSP/1.0\r\n${HEADER}\r\n`, expected: null },
]

const base64: { name: string; text: string; decoded: string }[] = [
  { name: 'nothing', text: '', decoded: '' },
  { name: 'RFC 4648 10', text: 'Zm9vYmFy', decoded: 'foobar' },
  { name: 'padding of one', text: 'Zm9vYmE=', decoded: 'fooba' },
  { name: 'padding of two', text: 'Zm9vYg==', decoded: 'foob' },
  { name: 'padding in the middle', text: 'Zg==Zm8=Zm9vZg==', decoded: 'ffofoof' },
  { name: 'white space everywhere', text: '\r\nZ m\t9\nv\r\nYg = =\0 ', decoded: 'foob' },
  { name: 'all that 64 characters are', text: '+/+/', decoded: '\xfb\xff\xbf' },
]

describe('parseTunnelRequest', () => {
  for (const { name, text, expected } of requests) {
    it(`takes ${name}`, () => {
      expect(parseTunnelRequest(readRequest(bytesOf(text)).request)).to.deep.equal(expected)
    })
  }

  for (const cookie of ['', 'a b', 'ä', 'a'.repeat(MAX_SESSION_COOKIE_LENGTH + 1)]) {
    it(`refuses the cookie '${cookie.slice(0, 10)}'`, () => {
      const { request } = readRequest(Buffer.from(`GET /a HTTP/1.0\r\nx-sessioncookie: ${cookie}\r\n\r\n`))
      expect(() => parseTunnelRequest(request)).to.throw(MalformedError)
    })
  }

  for (const { name, cookie, methods } of [
    { name: 'ffmpeg', cookie: COOKIE, methods: ['OPTIONS', 'DESCRIBE', 'SETUP', 'SETUP', 'PLAY', 'TEARDOWN'] },
    {
      name: 'gstreamer',
      cookie: 'xbvdvlyughvkmqhpugbgjan',
      methods: ['OPTIONS', 'DESCRIBE', 'SETUP', 'SETUP', 'PLAY', undefined, undefined],
    },
  ]) {
    it(`takes both halves of ${name}, and its requests in any pieces`, () => {
      const get = readRequest(loadDialogue(`${name}-tunnel-get`).client)
      const post = readRequest(loadDialogue(`${name}-tunnel-post`).client)
      const half = { sessionCookie: cookie, path: '/live/a?secret=x' }
      expect(parseTunnelRequest(get.request)).to.deep.equal({ ...half, direction: 'get' })
      expect(parseTunnelRequest(post.request)).to.deep.equal({ ...half, direction: 'post' })
      const decoded = decode([post.rest])
      expect(readAll([decoded]).map(({ method }) => method)).to.deep.equal(methods)
      expect(decode(bytewise(post.rest)).equals(decoded)).to.equal(true)
    })
  }
})

describe('serializeTunnelRequest', () => {
  it('writes what is parsed again', () => {
    for (const direction of ['get', 'post'] as const) {
      const half = { direction, sessionCookie: COOKIE, path: '/a?b' }
      const { request, rest } = readRequest(serializeTunnelRequest(half, 'example.com:80'))
      expect(parseTunnelRequest(request)).to.deep.equal(half)
      expect(request.headers.get('Host')).to.equal('example.com:80')
      expect(rest).to.have.length(0)
    }
  })

  it('announces a body for the POST alone, as proxies want it', () => {
    const text = serializeTunnelRequest({ direction: 'post', sessionCookie: COOKIE, path: '/a' }, 'h').toString()
    expect(text).to.equal(
      'POST /a HTTP/1.0\r\nHost: h\r\nx-sessioncookie: 20d211b6acfb38c9\r\nContent-Type: application/x-rtsp-tunnelled\r\n' +
        'Pragma: no-cache\r\nCache-Control: no-cache\r\nContent-Length: 32767\r\nExpires: Sun, 9 Jan 1972 00:00:00 GMT\r\n\r\n',
    )
  })

  it('keeps to its lines', () => {
    for (const path of ['/a b', '/a\r\nx: y']) {
      const half = { direction: 'get', sessionCookie: COOKIE, path } as const
      expect(() => serializeTunnelRequest(half, 'h')).to.throw(MalformedError)
    }
  })
})

describe('serializeTunnelAnswer', () => {
  it('is a head of HTTP, behind which RTSP begins', () => {
    const rtsp = bytesOf('RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n')
    const [head, answer] = readAll([Buffer.concat([serializeTunnelAnswer(), rtsp])])
    expect(head).to.include({ protocol: 'HTTP', status: 200 })
    expect(head!['headers']).to.deep.include(['Content-Type', 'application/x-rtsp-tunnelled'])
    expect(answer).to.include({ protocol: 'RTSP', status: 200 })
  })
})

describe('Base64Decoder', () => {
  for (const { name, text, decoded } of base64) {
    it(`decodes ${name}, whole and cut anywhere`, () => {
      const bytes = bytesOf(text)
      for (let at = 0; at <= bytes.length; at += 1) {
        expect(decode([bytes.subarray(0, at), bytes.subarray(at)]).toString('latin1')).to.equal(decoded)
      }
    })
  }

  for (const text of ['Zm9v*', 'Z===', 'Zm9vZ=', '-_', '\xff']) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => decode([bytesOf(text)])).to.throw(MalformedError)
      expect(() => decode(bytewise(bytesOf(text)))).to.throw(MalformedError)
    })
  }

  it('gives back messages that were encoded apart, in any pieces', () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 })
    fc.assert(
      fc.property(messages, fc.integer({ min: 1, max: 9 }), (messages, sizeBytes) => {
        const encoded = bytesOf(messages.map((bytes) => Buffer.from(bytes).toString('base64')).join(''))
        const count = Math.ceil(encoded.length / sizeBytes)
        const pieces = Array.from({ length: count }, (_, i) => encoded.subarray(i * sizeBytes, (i + 1) * sizeBytes))
        expect(decode(pieces).equals(Buffer.concat(messages))).to.equal(true)
      }),
    )
  })

  it('decodes or refuses any bytes, to no more than they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          expect(decode([Buffer.from(bytes)]).length).to.be.at.most(Math.ceil((bytes.length * 3) / 4))
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
        }
      }),
    )
  })
})
