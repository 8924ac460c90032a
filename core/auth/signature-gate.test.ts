import { expect } from 'chai'
import type { SessionAction, SessionRequest, StreamAuthHandler } from 'sluice/sdk'
import { effectiveConfig, LogRecords, type WrittenConfig } from 'sluice/sdk/testing'
import { sessionRequest, verdictOf } from './fixtures/request.ts'
import { SignatureGate } from './signature-gate.ts'

// printf '%s' 'pubkeylive/test6f000000' | md5sum
const PUBLISH_SECRET = 'e391c610bf48f98b6889a630b4f7bfc9'
const NOW_MS = 0x6effffff * 1000

const KEYS: WrittenConfig = { enableauth: true, publish: { key: 'pubkey' }, subscribe: { key: 'subkey' } }
const REFUSED = 'the auth handler refused'
const OTHER = 'it returned a value of type TYPE, and only true or nothing lets a session in'

function gateOf(config: WrittenConfig, handler?: StreamAuthHandler, action: SessionAction = 'publish') {
  const gate = new SignatureGate({
    config: effectiveConfig({}, { ...KEYS, ...config }),
    action,
    handler: () => handler,
    nowMs: () => NOW_MS,
  })
  const log = new LogRecords('rtmp')
  const check = (request: SessionRequest) => gate.check(request, { log: log.logger, closingNotice: false })
  return { check, log }
}

describe('signature gate', () => {
  describe('argument names', () => {
    const renamed = { secretargname: 's', expireargname: 'e' }
    const nameCases: readonly (readonly [string, WrittenConfig, string, string])[] = [
      ['default', {}, 'secret', 'expire'],
      ['of the section', renamed, 's', 'e'],
      ['of the direction', { publish: { key: 'pubkey', ...renamed } }, 's', 'e'],
      ['of the direction before the section', { secretargname: 'x', publish: { key: 'pubkey', ...renamed } }, 's', 'e'],
      ['one of each', { secretargname: 'x', publish: { key: 'pubkey', expireargname: 'e' } }, 'x', 'e'],
      ['not of the other direction', { subscribe: { key: 'subkey', ...renamed } }, 'secret', 'expire'],
    ]
    for (const [name, config, secretName, expireName] of nameCases) {
      it(`${name}: ${secretName} and ${expireName}`, async () => {
        const query = `${secretName}=${PUBLISH_SECRET}&${expireName}=6f000000`
        expect(await verdictOf(gateOf(config).check(sessionRequest({ query })))).to.equal('passed')
        const other = `${secretName}x=${PUBLISH_SECRET}&${expireName}=6f000000`
        expect(await verdictOf(gateOf(config).check(sessionRequest({ query: other })))).to.match(/missing/u)
      })
    }
  })

  it('checks a direction with its own key', async () => {
    const query = `secret=${PUBLISH_SECRET}&expire=6f000000`
    const playing = sessionRequest({ action: 'play', query })
    expect(await verdictOf(gateOf({}, undefined, 'play').check(playing))).to.equal('signature: it is wrong')
    const sameKey = gateOf({ subscribe: { key: 'pubkey' } }, undefined, 'play')
    expect(await verdictOf(sameKey.check(playing))).to.equal('passed')
  })

  it('counts the first of a repeated name, and decodes', async () => {
    const encoded = `%73ecret=${PUBLISH_SECRET.replace('e', '%65')}&expire=6f000000&secret=x`
    expect(await verdictOf(gateOf({}).check(sessionRequest({ query: encoded })))).to.equal('passed')
    const wrongFirst = `secret=${'0'.repeat(32)}&secret=${PUBLISH_SECRET}&expire=6f000000`
    expect(await verdictOf(gateOf({}).check(sessionRequest({ query: wrongFirst })))).to.equal('signature: it is wrong')
  })

  describe('custom handler', () => {
    it('is given exactly the five fields', async () => {
      const inputs: unknown[] = []
      const handler: StreamAuthHandler = (input) => void inputs.push(input)
      const query = 'token=a%20b&x=1&x=2'
      await gateOf({}, handler).check(sessionRequest({ query }))
      await gateOf({}, handler, 'play').check(sessionRequest({ action: 'play', protocol: 'flv', streamPath: 'a/b' }))
      expect(inputs).to.eql([
        {
          plugin_name: 'rtmp',
          stream_path: 'live/test',
          query_string: query,
          params: { token: 'a b', x: '1' },
          is_publish: true,
        },
        { plugin_name: 'flv', stream_path: 'a/b', query_string: '', params: {}, is_publish: false },
      ])
      const [first] = inputs as Record<string, unknown>[]
      expect(Object.keys(first ?? {})).to.have.members([
        'plugin_name',
        'stream_path',
        'query_string',
        'params',
        'is_publish',
      ])
      expect(Object.getPrototypeOf(first?.['params'])).to.equal(Object.prototype)
    })

    it('can change nothing for the gates after it', async () => {
      const request = sessionRequest({ query: 'policy=x' })
      const handler: StreamAuthHandler = ({ params }) => void Object.assign(params, { policy: 'changed' })
      await gateOf({}, handler).check(request)
      expect(request.params['policy']).to.equal('x')
    })

    const answers: readonly (readonly [string, StreamAuthHandler, string])[] = [
      ['returns nothing', () => {}, 'passed'],
      ['returns true', () => true, 'passed'],
      ['resolves to true', async () => true, 'passed'],
      ['resolves', async () => {}, 'passed'],
      ['resolves later', () => new Promise((resolve) => void setImmediate(resolve)), 'passed'],
      ['returns false', () => false, `${REFUSED}: it returned false`],
      ['resolves to false', async () => false, `${REFUSED}: it returned false`],
      ['returns null', () => null, `${REFUSED}: it returned null`],
      ['returns 0', () => 0, `${REFUSED}: ${OTHER.replace('TYPE', 'number')}`],
      ['returns 1', () => 1, `${REFUSED}: ${OTHER.replace('TYPE', 'number')}`],
      ['returns a text', () => 'denied', `${REFUSED}: ${OTHER.replace('TYPE', 'string')}`],
      ['returns an empty text', () => '', `${REFUSED}: ${OTHER.replace('TYPE', 'string')}`],
      ['returns an object', () => ({ allowed: false }), `${REFUSED}: ${OTHER.replace('TYPE', 'object')}`],
      ['resolves to an object', async () => ({ allowed: true }), `${REFUSED}: ${OTHER.replace('TYPE', 'object')}`],
      ['returns an Error', () => new Error('no'), `${REFUSED}: no`],
      ['resolves to an Error', async () => new TypeError('no'), `${REFUSED}: no`],
      [
        'throws',
        () => {
          throw new Error('no')
        },
        `${REFUSED}: no`,
      ],
      ['rejects', () => Promise.reject(new Error('no')), `${REFUSED}: no`],
      ['rejects with what is no Error', () => Promise.reject('no'), REFUSED],
    ]
    for (const [name, handler, verdict] of answers) {
      it(`${name}: ${verdict}`, async () => {
        expect(await verdictOf(gateOf({}, handler).check(sessionRequest()))).to.equal(verdict)
      })
    }

    it('that never answers denies at auth_timeout', async () => {
      const gate = gateOf({ auth_timeout: '50ms' }, () => new Promise(() => {}))
      const verdict = await verdictOf(gate.check(sessionRequest()))
      expect(verdict).to.equal(`${REFUSED}: it did not answer in 50 ms`)
    })

    it('has all the time it wants with an auth_timeout of 0', async () => {
      const answer = Promise.withResolvers<boolean>()
      const gate = gateOf({ auth_timeout: '0s' }, () => answer.promise)
      const asked = verdictOf(gate.check(sessionRequest()))
      const later = new Promise((resolve) => void setTimeout(() => resolve('still asked'), 20))
      expect(await Promise.race([asked, later])).to.equal('still asked')
      answer.resolve(true)
      expect(await asked).to.equal('passed')
    })

    it('that rejects after its time is over harms nobody', async () => {
      const { promise, reject } = Promise.withResolvers<never>()
      const gate = gateOf({ auth_timeout: '10ms' }, () => promise)
      expect(await verdictOf(gate.check(sessionRequest()))).to.match(/did not answer/u)
      const escaped: unknown[] = []
      const onEscape = (error: unknown) => escaped.push(error)
      process.on('unhandledRejection', onEscape)
      reject(new Error('late'))
      await new Promise((resolve) => void setImmediate(resolve))
      process.off('unhandledRejection', onEscape)
      expect(escaped).to.eql([])
    })

    it('that fails by a mistake is logged with its place, without what its error quotes', async () => {
      const { check, log } = gateOf({}, ({ query_string }) => {
        throw new TypeError(`no such thing: ${query_string}`)
      })
      expect(await verdictOf(check(sessionRequest({ query: 'token=abcdefgh' })))).to.match(/refused/u)
      expect(log.problems).to.have.length(1)
      expect(log.problems[0]?.['stack']).to.match(/signature-gate\.test\.ts/u)
      expect(JSON.stringify(log.problems)).not.to.include('abcdefgh')
    })

    it('that refuses is no failure', async () => {
      const { check, log } = gateOf({}, () => Promise.reject(new Error('not today')))
      expect(await verdictOf(check(sessionRequest()))).to.match(/refused/u)
      expect(log.problems).to.eql([])
    })

    it('has priority over the signature, both ways', async () => {
      const signed = sessionRequest({ query: `secret=${PUBLISH_SECRET}&expire=6f000000` })
      expect(await verdictOf(gateOf({}, () => false).check(signed))).to.match(/refused/u)
      expect(await verdictOf(gateOf({}, () => true).check(sessionRequest()))).to.equal('passed')
    })
  })
})
