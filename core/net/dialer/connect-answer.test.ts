import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { rounds } from '../../../test/support/soak.ts'
import { MAX_HEAD_BYTES, parseConnectAnswer, serializeConnect, type ConnectAnswer } from './connect-answer.ts'

const WHOLE = 'HTTP/1.1 200 Connection established\r\nProxy-agent: a\r\n\r\n'

const answers: readonly { name: string; text: string; expected: ConnectAnswer | null }[] = [
  { name: 'an agreement', text: WHOLE, expected: { status: 200, headSizeBytes: WHOLE.length } },
  {
    name: 'one with what the target says',
    text: `${WHOLE}early`,
    expected: { status: 200, headSizeBytes: WHOLE.length },
  },
  { name: 'one of HTTP/1.0 without words', text: 'HTTP/1.0 200\r\n\r\n', expected: { status: 200, headSizeBytes: 16 } },
  {
    name: 'one after an interim answer',
    text: `HTTP/1.1 100 Continue\r\n\r\n${WHOLE}`,
    expected: { status: 200, headSizeBytes: 25 + WHOLE.length },
  },
  { name: 'a refusal', text: 'HTTP/1.1 407 No\r\n\r\n', expected: { status: 407, headSizeBytes: 19 } },
  { name: 'nothing', text: '', expected: null },
  { name: 'a part', text: WHOLE.slice(0, -1), expected: null },
  { name: 'an interim answer alone', text: 'HTTP/1.1 100 Continue\r\n\r\n', expected: null },
]

describe('the answer to CONNECT', () => {
  for (const { name, text, expected } of answers) {
    it(`is read: ${name}`, () => expect(parseConnectAnswer(Buffer.from(text))).to.eql(expected))
  }

  for (const text of [
    'SSH-2.0-x\r\n\r\n',
    'HTTP/2 200\r\n\r\n',
    'HTTP/1.1 999 x\r\n\r\n',
    '\r\n\r\n',
    'HTTP/1.1 2000\r\n\r\n',
  ]) {
    it(`is none: ${JSON.stringify(text)}`, () => {
      expect(() => parseConnectAnswer(Buffer.from(text))).to.throw(MalformedError, 'no status line')
    })
  }

  it('ends in time, however many interim answers there are', () => {
    const interim = 'HTTP/1.1 102 Processing\r\n\r\n'
    const endless = interim.repeat(MAX_HEAD_BYTES / interim.length + 1)
    for (const text of [
      endless,
      'x'.repeat(MAX_HEAD_BYTES + 1),
      `${WHOLE.slice(0, -2)}a: ${'x'.repeat(MAX_HEAD_BYTES)}`,
    ]) {
      expect(() => parseConnectAnswer(Buffer.from(text))).to.throw(MalformedError, 'bytes of head')
    }
  })

  it('is the same however it comes in pieces', () => {
    for (const { text, expected } of answers.filter(({ expected }) => expected !== null)) {
      const sizes = Array.from(text, (_, index) => parseConnectAnswer(Buffer.from(text).subarray(0, index + 1)))
      const first = sizes.find((answer) => answer !== null)
      expect(first).to.eql(expected)
    }
  })

  it('may be anything', () => {
    const texts = answers.map(({ text }) => Buffer.from(text))
    const broken = fc
      .tuple(fc.constantFrom(...texts), fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 4 }))
      .map(([bytes, changes]) => {
        const changed = Buffer.from(bytes)
        for (const [at, value] of changes) if (at < changed.length) changed[at] = value
        return changed
      })
    const noise = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.oneof(broken, noise), (bytes) => {
        try {
          const answer = parseConnectAnswer(bytes)
          if (answer !== null) expect(answer.headSizeBytes).to.be.at.most(bytes.length)
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
        }
      }),
      { numRuns: rounds(2000) },
    )
  })
})

describe('the request CONNECT', () => {
  it('names the target, and who asks', () => {
    expect(serializeConnect('host', 80)).to.equal('CONNECT host:80 HTTP/1.1\r\nHost: host:80\r\n\r\n')
    const credentials = Buffer.from('näme:p:w').toString('base64')
    expect(serializeConnect('::1', 554, { name: 'näme', password: 'p:w' })).to.equal(
      `CONNECT [::1]:554 HTTP/1.1\r\nHost: [::1]:554\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`,
    )
  })
})
