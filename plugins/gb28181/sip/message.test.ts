import { expect } from 'chai'
import * as fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { SipHeaders } from './headers.ts'
import { MAX_BODY_BYTES, MAX_HEAD_BYTES, parseSipDatagram, serializeSipMessage, type SipMessage } from './message.ts'
import { SipStreamReader } from './stream-reader.ts'

type Case = {
  readonly name: string
  readonly text: string
  readonly message: SipMessage
  /** How it is written, where that is not how it was read. */
  readonly written?: string
}

const BODY = '<?xml version="1.0"?>\r\n<Notify/>\r\n'

function request(method: string, uri: string, fields: [string, string][], body = ''): SipMessage {
  return { kind: 'request', method, uri, headers: new SipHeaders(fields), body: Buffer.from(body) }
}

function text(...lines: readonly string[]): string {
  return lines.join('\r\n')
}

const CASES: readonly Case[] = [
  {
    name: 'a request without a body',
    text: text('REGISTER sip:34020000002000000001@3402000000 SIP/2.0', 'Call-ID: a', 'Content-Length: 0', '', ''),
    message: request('REGISTER', 'sip:34020000002000000001@3402000000', [
      ['Call-ID', 'a'],
      ['Content-Length', '0'],
    ]),
  },
  {
    name: 'a request with a body',
    text: text('MESSAGE sip:a@b SIP/2.0', 'CSeq: 1 MESSAGE', `Content-Length: ${BODY.length}`, '', BODY),
    message: request(
      'MESSAGE',
      'sip:a@b',
      [
        ['CSeq', '1 MESSAGE'],
        ['Content-Length', String(BODY.length)],
      ],
      BODY,
    ),
  },
  {
    name: 'an answer',
    text: text('SIP/2.0 401 Unauthorized', 'WWW-Authenticate: Digest realm="a"', 'Content-Length: 0', '', ''),
    message: {
      kind: 'response',
      status: 401,
      reason: 'Unauthorized',
      headers: new SipHeaders([
        ['WWW-Authenticate', 'Digest realm="a"'],
        ['Content-Length', '0'],
      ]),
      body: Buffer.alloc(0),
    },
  },
  {
    name: 'an answer without a phrase',
    text: text('SIP/2.0 200', 'Content-Length: 0', '', ''),
    message: {
      kind: 'response',
      status: 200,
      reason: '',
      headers: new SipHeaders([['Content-Length', '0']]),
      body: Buffer.alloc(0),
    },
    written: text('SIP/2.0 200 ', 'Content-Length: 0', '', ''),
  },
  {
    name: 'compact names',
    text: text(
      'INVITE sip:a@b SIP/2.0',
      'v: SIP/2.0/UDP h',
      'f: <sip:a@b>',
      't: <sip:c@d>',
      'i: 1',
      'm: <sip:e@f>',
      's: a:0,b:0',
      'c: application/sdp',
      'l: 3',
      '',
      'v=0',
    ),
    message: request(
      'INVITE',
      'sip:a@b',
      [
        ['Via', 'SIP/2.0/UDP h'],
        ['From', '<sip:a@b>'],
        ['To', '<sip:c@d>'],
        ['Call-ID', '1'],
        ['Contact', '<sip:e@f>'],
        ['Subject', 'a:0,b:0'],
        ['Content-Type', 'application/sdp'],
        ['Content-Length', '3'],
      ],
      'v=0',
    ),
    written: text(
      'INVITE sip:a@b SIP/2.0',
      'Via: SIP/2.0/UDP h',
      'From: <sip:a@b>',
      'To: <sip:c@d>',
      'Call-ID: 1',
      'Contact: <sip:e@f>',
      'Subject: a:0,b:0',
      'Content-Type: application/sdp',
      'Content-Length: 3',
      '',
      'v=0',
    ),
  },
  {
    name: 'spaces, lines that go on, and small letters',
    text: text(
      'options sip:a@b sip/2.0',
      'via :  SIP/2.0/UDP h',
      'Subject: one',
      '  two',
      '\tthree',
      'content-length:0',
      '',
      '',
    ),
    message: request('OPTIONS', 'sip:a@b', [
      ['via', 'SIP/2.0/UDP h'],
      ['Subject', 'one two three'],
      ['content-length', '0'],
    ]),
    written: text(
      'OPTIONS sip:a@b SIP/2.0',
      'via: SIP/2.0/UDP h',
      'Subject: one two three',
      'Content-Length: 0',
      '',
      '',
    ),
  },
  {
    name: 'a datagram that states no length',
    text: text('MESSAGE sip:a@b SIP/2.0', 'Call-ID: a', '', BODY),
    message: request('MESSAGE', 'sip:a@b', [['Call-ID', 'a']], BODY),
    written: text('MESSAGE sip:a@b SIP/2.0', 'Call-ID: a', `Content-Length: ${BODY.length}`, '', BODY),
  },
  {
    name: 'a datagram with more than it states',
    text: text('MESSAGE sip:a@b SIP/2.0', 'Content-Length: 3', '', 'abcdef'),
    message: request('MESSAGE', 'sip:a@b', [['Content-Length', '3']], 'abc'),
    written: text('MESSAGE sip:a@b SIP/2.0', 'Content-Length: 3', '', 'abc'),
  },
]

const BROKEN: readonly (readonly [name: string, text: string])[] = [
  ['no end of headers', 'REGISTER sip:a@b SIP/2.0\r\nCall-ID: a\r\n'],
  ['another protocol', 'GET / HTTP/1.1\r\n\r\n'],
  ['a status that is none', 'SIP/2.0 999 No\r\n\r\n'],
  ['a header without a name', 'REGISTER sip:a@b SIP/2.0\r\n: a\r\n\r\n'],
  ['a length that is none', 'REGISTER sip:a@b SIP/2.0\r\nContent-Length: -1\r\n\r\n'],
  ['a length beyond the datagram', 'REGISTER sip:a@b SIP/2.0\r\nContent-Length: 10\r\n\r\nabc'],
  ['a body that is too large', `REGISTER sip:a@b SIP/2.0\r\nContent-Length: ${MAX_BODY_BYTES + 1}\r\n\r\n`],
  ['headers that are too large', `REGISTER sip:a@b SIP/2.0\r\nSubject: ${'a'.repeat(MAX_HEAD_BYTES)}\r\n\r\n`],
  ['too many headers', `REGISTER sip:a@b SIP/2.0\r\n${'a: b\r\n'.repeat(200)}\r\n`],
]

function plain({ headers, body, ...start }: SipMessage): unknown {
  return { ...start, headers: [...headers], body: body.toString('latin1') }
}

describe('SIP messages', () => {
  for (const { name, text: bytes, message, written = bytes } of CASES) {
    it(`are read and written: ${name}`, () => {
      expect(plain(parseSipDatagram(Buffer.from(bytes)))).to.eql(plain(message))
      expect(serializeSipMessage(message).toString()).to.equal(written)
    })
  }

  for (const [name, bytes] of BROKEN) {
    it(`are refused: ${name}`, () => {
      expect(() => parseSipDatagram(Buffer.from(bytes))).to.throw(MalformedError)
    })
  }

  it('come by a connection as they will: several at once, in pieces, with empty lines between', () => {
    const sent = CASES.filter(({ text: bytes }) => /content-length|^l:/imu.test(bytes) && !bytes.endsWith('abcdef'))
    const bytes = Buffer.from(`\r\n\r\n${sent.map(({ text: each }) => each).join('\r\n\r\n')}\r\n`)
    for (const size of [1, 2, 7, 50, bytes.length]) {
      const reader = new SipStreamReader()
      const read: SipMessage[] = []
      for (let at = 0; at < bytes.length; at += size) read.push(...reader.push(bytes.subarray(at, at + size)))
      expect(read.map(plain)).to.eql(sent.map(({ message }) => plain(message)))
      expect(reader.heldBytes).to.have.length(0)
    }
  })

  it('end a connection that brings none, before it costs memory', () => {
    const reader = new SipStreamReader()
    expect(() => {
      for (let at = 0; at < 100; at++) reader.push(Buffer.alloc(1024, 'a'))
    }).to.throw(MalformedError, 'more than')
  })

  it('have headers that can be changed, with or without regard to case', () => {
    const headers = new SipHeaders([
      ['Via', '1'],
      ['v', '2'],
      ['To', 'a'],
    ])
    expect(headers.all('via')).to.eql(['1', '2'])
    expect(Array.from(headers.with('VIA', '3'))).to.eql([
      ['VIA', '3'],
      ['To', 'a'],
    ])
    expect([...headers.withFirst('via', '3')]).to.eql(
      [...headers].map(([name, value]) => [name, value === '1' ? '3' : value]),
    )
  })

  const seeds = CASES.map(({ text: bytes }) => Buffer.from(bytes))
  const edits = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 6 })

  function changed(seed: Buffer, changes: readonly (readonly [at: number, value: number])[]): Buffer {
    const bytes = Buffer.from(seed)
    for (const [at, value] of changes) bytes[at % bytes.length] = value
    return bytes
  }

  it('read nothing but messages of any bytes, and write what they read', () => {
    fc.assert(
      fc.property(fc.constantFrom(...seeds), edits, (seed, changes) => {
        try {
          const message = parseSipDatagram(changed(seed, changes))
          const again = parseSipDatagram(serializeSipMessage(message))
          expect(again.body.equals(message.body)).to.equal(true)
        } catch (error) {
          if (!(error instanceof MalformedError)) throw error
        }
      }),
      { numRuns: 1000, seed: 28_181 },
    )
  })

  it('come out of a connection alike wherever its bytes are cut, or end it', () => {
    const several = fc.array(fc.tuple(fc.constantFrom(...seeds), edits), { minLength: 1, maxLength: 4 })
    const cuts = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(several, cuts, (sent, sizes) => {
        const bytes = Buffer.concat(sent.map(([seed, changes]) => changed(seed, changes)))
        const pieces: Buffer[] = []
        for (let at = 0; at < bytes.length; at += pieces.at(-1)!.length) {
          pieces.push(bytes.subarray(at, at + sizes[pieces.length % sizes.length]!))
        }
        const inPieces = readAll(pieces)
        const atOnce = readAll([bytes])
        expect(inPieces.isBroken).to.equal(atOnce.isBroken)
        // At once, the error takes the messages before it along.
        if (!atOnce.isBroken) expect(inPieces).to.eql(atOnce)
      }),
      { numRuns: 500, seed: 28_181 },
    )
  })
})

/** What a reader makes of the pieces of a stream. */
function readAll(pieces: readonly Buffer[]) {
  const reader = new SipStreamReader()
  const messages: unknown[] = []
  try {
    for (const piece of pieces) messages.push(...reader.push(piece).map(plain))
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return { messages, isBroken: true }
  }
  return { messages, held: reader.heldBytes.toString('latin1'), isBroken: false }
}
