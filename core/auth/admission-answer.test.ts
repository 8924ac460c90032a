import { expect } from 'chai'
import fc from 'fast-check'
import { isStreamPath, StreamDenied } from 'sluice/sdk'
import { parseAdmissionAnswer, type AdmissionAnswer } from './admission-answer.ts'

const ALLOWED: AdmissionAnswer = { allowed: true, streamPath: undefined, lifetimeMs: undefined, reason: undefined }
const REFUSED: AdmissionAnswer = { ...ALLOWED, allowed: false }

const answers: readonly (readonly [string, string, AdmissionAnswer])[] = [
  ['allowed', '{"allowed":true}', ALLOWED],
  ['not allowed', '{"allowed":false}', REFUSED],
  ['says nothing', '{}', REFUSED],
  ['allowed as text', '{"allowed":"true"}', REFUSED],
  ['allowed as a number', '{"allowed":1}', REFUSED],
  ['allowed as null', '{"allowed":null}', REFUSED],
  ['no object', '"allowed"', REFUSED],
  ['null', 'null', REFUSED],
  ['a list', '[{"allowed":true}]', REFUSED],
  ['further fields', '{"allowed":true,"more":[1]}', ALLOWED],
  [
    'all fields',
    '{"allowed":true,"stream_path":"a/b","lifetime_ms":5,"reason":"ok"}',
    { allowed: true, streamPath: 'a/b', lifetimeMs: 5, reason: 'ok' },
  ],
  ['empty fields', '{"allowed":true,"stream_path":null,"lifetime_ms":null,"reason":null}', ALLOWED],
  ['a path left empty', '{"allowed":true,"stream_path":""}', ALLOWED],
  ['a reason to refuse', '{"allowed":false,"reason":"no room"}', { ...REFUSED, reason: 'no room' }],
  ['a path beside a refusal', '{"allowed":false,"stream_path":"rtmp://x/y"}', REFUSED],
  ['a life of 0', '{"allowed":true,"lifetime_ms":0}', { ...ALLOWED, lifetimeMs: 0 }],
  ['a life that is no integer', '{"allowed":true,"lifetime_ms":1.5}', ALLOWED],
  ['a negative life', '{"allowed":true,"lifetime_ms":-1}', ALLOWED],
  ['a life as text', '{"allowed":true,"lifetime_ms":"60000"}', ALLOWED],
]

const paths: readonly (readonly [string, string])[] = [
  ['live/other', 'live/other'],
  ['/live/other', 'live/other'],
  ['live/other/', 'live/other'],
  ['one', 'one'],
  ['a/b/c/d', 'a/b/c/d'],
  ['live/späť 流.x-1', 'live/späť 流.x-1'],
  ['live/at:10', 'live/at:10'],
  ['cam:1/a', 'cam:1/a'],
  ['live/a..b', 'live/a..b'],
  ['live/...', 'live/...'],
]

const noPaths: readonly (readonly [string, unknown])[] = [
  ['a scheme', 'rtmp://host/live/a'],
  ['a scheme without a host', 'file:///etc/passwd'],
  ['a host', '//host/live/a'],
  ['a query', 'live/a?secret=1'],
  ['an empty query', 'live/a?'],
  ['a fragment', 'live/a#b'],
  ['.. inside', 'live/../a'],
  ['.. first', '../a'],
  ['.. last', 'live/..'],
  ['a single dot', 'live/./a'],
  ['a backslash', 'live\\a'],
  ['an empty part', 'live//a'],
  ['a line feed', 'live/a\nb'],
  ['a null character', 'live/a\u0000'],
  ['a delete character', 'live/a\u007f'],
  ['a slash only', '/'],
  ['more than a path can be', `live/${'a'.repeat(512)}`],
  ['a number', 5],
  ['a list', ['live/a']],
  ['an object', { path: 'live/a' }],
  ['a boolean', true],
]

describe('admission answer', () => {
  for (const [name, text, answer] of answers) {
    it(`is ${name}`, () => expect(parseAdmissionAnswer(text)).to.eql(answer))
  }

  for (const [sent, streamPath] of paths) {
    it(`rewrites to ${JSON.stringify(sent)}`, () => {
      const answer = parseAdmissionAnswer(JSON.stringify({ allowed: true, stream_path: sent }))
      expect(answer.streamPath).to.equal(streamPath)
    })
  }

  for (const [name, path] of noPaths) {
    it(`does not rewrite to a path with ${name}`, () => {
      const text = JSON.stringify({ allowed: true, stream_path: path })
      expect(() => parseAdmissionAnswer(text))
        .to.throw(StreamDenied)
        .with.nested.property('cause.message')
        .that.matches(/^the stream_path of the control server's answer/u)
    })
  }

  for (const text of ['', 'allowed', '{"allowed":true', '<html>s3cret-body</html>', '{allowed:true}', '\u0000']) {
    it(`is not JSON: ${JSON.stringify(text)}`, () => {
      expect(() => parseAdmissionAnswer(text)).to.throw('its answer is not JSON')
    })
  }

  it('is parsed or refused with an Error, whatever comes', () => {
    const values = fc.record(
      { allowed: fc.anything(), stream_path: fc.oneof(fc.string({ unit: 'binary' }), fc.anything()) },
      { requiredKeys: [] },
    )
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      values.map((value) => serialized(value)),
    )
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const { streamPath } = parseAdmissionAnswer(text)
          if (streamPath !== undefined) expect(isStreamPath(streamPath)).to.equal(true)
        } catch (error) {
          if (!(error instanceof StreamDenied)) expect((error as Error).message).to.equal('its answer is not JSON')
        }
      }),
    )
  })
})

function serialized(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}
