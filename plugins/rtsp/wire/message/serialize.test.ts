import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { readAll } from '../fixtures/read-all.ts'
import { RtspHeaders } from './headers.ts'
import { INTERLEAVED_HEADER_SIZE_BYTES, writeInterleavedHeader } from './interleaved.ts'
import { RtspReader } from './reader.ts'
import { serializeRequest, serializeResponse, type RtspRequestInit, type RtspResponseInit } from './serialize.ts'

const requests: { name: string; request: RtspRequestInit; text: string }[] = [
  {
    name: 'a request without headers',
    request: { method: 'OPTIONS', uri: '*', cseq: 1 },
    text: 'OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n',
  },
  {
    name: 'headers in their order',
    request: {
      method: 'SETUP',
      uri: 'rtsp://a/b',
      cseq: 3,
      headers: new RtspHeaders([
        ['Transport', 'RTP/AVP/TCP;interleaved=0-1'],
        ['Session', '1'],
      ]),
    },
    text: 'SETUP rtsp://a/b RTSP/1.0\r\nCSeq: 3\r\nTransport: RTP/AVP/TCP;interleaved=0-1\r\nSession: 1\r\n\r\n',
  },
  {
    name: 'a body',
    request: {
      method: 'ANNOUNCE',
      uri: 'rtsp://a/b',
      cseq: 2,
      headers: new RtspHeaders([['Content-Type', 'application/sdp']]),
      body: Buffer.from('v=0\r\n'),
    },
    text: 'ANNOUNCE rtsp://a/b RTSP/1.0\r\nCSeq: 2\r\nContent-Type: application/sdp\r\nContent-Length: 5\r\n\r\nv=0\r\n',
  },
]

const responses: { name: string; response: RtspResponseInit; text: string }[] = [
  {
    name: 'the reason of the status',
    response: { status: 454, cseq: 4 },
    text: 'RTSP/1.0 454 Session Not Found\r\nCSeq: 4\r\n\r\n',
  },
  { name: 'a reason of its own', response: { status: 200, reason: 'Fine' }, text: 'RTSP/1.0 200 Fine\r\n\r\n' },
  { name: 'a status that is not known', response: { status: 299 }, text: 'RTSP/1.0 299 Unknown\r\n\r\n' },
  {
    name: 'several challenges',
    response: {
      status: 401,
      cseq: 1,
      headers: new RtspHeaders([
        ['WWW-Authenticate', 'Digest realm="a"'],
        ['WWW-Authenticate', 'Basic realm="a"'],
      ]),
    },
    text: 'RTSP/1.0 401 Unauthorized\r\nCSeq: 1\r\nWWW-Authenticate: Digest realm="a"\r\nWWW-Authenticate: Basic realm="a"\r\n\r\n',
  },
]

describe('serializeRequest', () => {
  for (const { name, request, text } of requests) {
    it(`writes ${name}, and what is read of it again`, () => {
      expect(serializeRequest(request).toString()).to.equal(text)
      const reader = new RtspReader()
      reader.push(Buffer.from(text))
      const read = reader.read()
      if (read?.kind !== 'request') throw new Error('no request')
      expect(serializeRequest(read).toString()).to.equal(text)
    })
  }

  it('keeps to its line whatever it is given', () => {
    const headers = new RtspHeaders([['User-Agent', 'a\r\nSession: 2']])
    expect(() => serializeRequest({ method: 'PLAY', uri: 'rtsp://a/b', headers })).to.throw(MalformedError, 'header')
    expect(() => serializeRequest({ method: 'PLAY', uri: 'rtsp://a/\r\nx' })).to.throw(MalformedError, 'start line')
  })

  it('writes what the reader reads', () => {
    const name = fc.stringMatching(/^[A-Za-z-]{1,12}$/).filter((text) => !/^(?:cseq|content-length)$/iu.test(text))
    const value = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\p{C}\p{Z}]/gu, ''))
    const headers = fc.array(fc.tuple(name, value), { maxLength: 10 })
    const body = fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.nat(1e9), headers, body, (cseq, list, body) => {
        const bytes = serializeRequest({
          method: 'ANNOUNCE',
          uri: 'rtsp://a/b',
          cseq,
          headers: new RtspHeaders(list),
          body,
        })
        const [message] = readAll([bytes])
        const length = body.length === 0 ? [] : [['Content-Length', String(body.length)]]
        expect(message).to.deep.include({
          cseq,
          headers: [['CSeq', String(cseq)], ...list, ...length],
          body: body.toString('latin1'),
        })
      }),
    )
  })
})

describe('serializeResponse', () => {
  for (const { name, response, text } of responses) {
    it(`writes ${name}, and what is read of it again`, () => {
      expect(serializeResponse(response).toString()).to.equal(text)
      const reader = new RtspReader()
      reader.push(Buffer.from(text))
      const read = reader.read()
      if (read?.kind !== 'response') throw new Error('no response')
      expect(serializeResponse(read).toString()).to.equal(text)
    })
  }
})

describe('writeInterleavedHeader', () => {
  it('writes what RFC 2326 10.12 draws', () => {
    const bytes = Buffer.alloc(1 + INTERLEAVED_HEADER_SIZE_BYTES)
    writeInterleavedHeader(bytes, 1, 3, 0x0102)
    expect(bytes.toString('hex')).to.equal('0024030102')
  })
})
