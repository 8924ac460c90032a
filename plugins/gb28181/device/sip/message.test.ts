import { expect } from 'chai'
import * as fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { branchOf, parameterOf, parseSipUri, sequenceOf, tagOf, userOf } from './address.ts'
import { headerOf, headersOf, parseSipMessage, serializeSipMessage, type SipMessage } from './message.ts'
import { SipStreamReader } from './stream-reader.ts'

const REQUEST = [
  'MESSAGE sip:34020000001310000001@192.168.1.9:5060 SIP/2.0',
  'v: SIP/2.0/UDP 192.168.1.2:5060;rport;branch=z9hG4bKabc',
  'Via: SIP/2.0/UDP 192.168.1.3:5060;branch=z9hG4bKother',
  'f: "Platform" <sip:34020000002000000001@3402000000>;tag=from-1',
  't: <sip:34020000001310000001@3402000000>',
  'i: a-call@192.168.1.2',
  'CSeq: 20 MESSAGE',
  'Subject: first',
  '  and second',
  'c: Application/MANSCDP+xml',
  'l: 4',
  '',
  'body',
].join('\r\n')

function thrown(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}

describe('messages of SIP, of the device', () => {
  const message = parseSipMessage(Buffer.from(REQUEST))

  it('are read with short names, folded lines and several fields of a name', () => {
    expect(message).to.include({ kind: 'request', method: 'MESSAGE' })
    expect(headersOf(message, 'via')).to.have.length(2)
    expect(headerOf(message, 'SUBJECT')).to.equal('first and second')
    expect(headerOf(message, 'Content-Type')).to.equal('Application/MANSCDP+xml')
    expect(String(message.body)).to.equal('body')
    expect([branchOf(message), tagOf(message, 'From'), tagOf(message, 'To')]).to.eql(['z9hG4bKabc', 'from-1', ''])
    expect(sequenceOf(message)).to.eql({ number: 20, method: 'MESSAGE' })
    expect(userOf(headerOf(message, 'From'))).to.equal('34020000002000000001')
  })

  it('are written so that they are read again', () => {
    const again = parseSipMessage(serializeSipMessage(message))
    const { headers } = message
    const isLength = ([name]: readonly [string, string]) => name === 'Content-Length'
    expect(again).to.eql({
      ...message,
      headers: [...headers.filter((field) => !isLength(field)), ...headers.filter(isLength)],
    })
  })

  it('are read from a response, also without a reason', () => {
    const text = 'SIP/2.0 423 Interval Too Brief\r\nMin-Expires: 3600\r\n\r\n'
    expect(parseSipMessage(Buffer.from(text))).to.include({
      kind: 'response',
      status: 423,
      reason: 'Interval Too Brief',
    })
    expect(parseSipMessage(Buffer.from('SIP/2.0 200\r\n\r\n'))).to.include({ status: 200, reason: '' })
  })

  const broken: readonly (readonly [string, string])[] = [
    ['no end', 'OPTIONS sip:a@b SIP/2.0\r\n'],
    ['another protocol', 'GET / HTTP/1.1\r\n\r\n'],
    ['a line that is no field', 'OPTIONS sip:a@b SIP/2.0\r\nnonsense\r\n\r\n'],
    ['a body that is too short', 'OPTIONS sip:a@b SIP/2.0\r\nContent-Length: 9\r\n\r\nbody'],
    ['a length that is none', 'OPTIONS sip:a@b SIP/2.0\r\nContent-Length: -1\r\n\r\n'],
    ['too many fields', `OPTIONS sip:a@b SIP/2.0\r\n${'A: b\r\n'.repeat(201)}\r\n`],
  ]
  for (const [what, text] of broken) {
    it(`are none with ${what}`, () => {
      expect(thrown(() => parseSipMessage(Buffer.from(text)))).to.be.instanceOf(MalformedError)
    })
  }

  it('are cut out of a stream, wherever its pieces begin', () => {
    const bytes = Buffer.from(`\r\n\r\n${REQUEST}\r\n${REQUEST}`)
    for (const step of [1, 7, 300, bytes.length]) {
      const reader = new SipStreamReader()
      const messages: SipMessage[] = []
      for (let at = 0; at < bytes.length; at += step) messages.push(...reader.push(bytes.subarray(at, at + step)))
      expect(messages).to.eql([message, message])
    }
  })

  it('need a length in a stream', () => {
    const text = Buffer.from('OPTIONS sip:a@b SIP/2.0\r\n\r\n')
    expect(thrown(() => new SipStreamReader().push(text))).to.be.instanceOf(MalformedError)
  })

  it('are read, or refused, whatever the bytes are', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('\r\n', '\r\n\r\n', ': ', 'SIP/2.0', REQUEST, 'Content-Length: 5'),
    )
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.from(pieces.join('')))
    fc.assert(
      fc.property(text, (bytes) => {
        for (const read of [() => parseSipMessage(bytes), () => new SipStreamReader().push(bytes)]) {
          const error = thrown(read)
          if (error instanceof Error) expect(error).to.be.instanceOf(MalformedError)
        }
      }),
      { seed: 1, numRuns: 300 },
    )
  })
})

describe('addresses of SIP, of the device', () => {
  const cases = [
    { text: 'sip:34@1.2.3.4:5060', is: { user: '34', host: '1.2.3.4', port: 5060 } },
    { text: 'sip:34@1.2.3.4:-1', is: { user: '34', host: '1.2.3.4', port: -1 } },
    { text: 'SIP:34@3402000000;transport=tcp', is: { user: '34', host: '3402000000', port: undefined } },
    { text: 'sip:[::1]:5060', is: { user: '', host: '[::1]', port: 5060 } },
  ]
  for (const { text, is } of cases) {
    it(`are read from ${text}`, () => expect(parseSipUri(text)).to.eql(is))
  }

  it('are none in other texts', () => {
    expect(thrown(() => parseSipUri('http://a/'))).to.be.instanceOf(MalformedError)
    expect(userOf('nonsense')).to.equal('')
  })

  it('have parameters behind the brackets alone', () => {
    expect(parameterOf('<sip:a@b;tag=no>;tag=yes;expires=3', 'tag')).to.equal('yes')
    expect(parameterOf('<sip:a@b>;Expires="3"', 'expires')).to.equal('3')
    expect(parameterOf('<sip:a@b>', 'expires')).to.equal(undefined)
  })
})
