import { expect } from 'chai'
import type { SessionRequest } from 'sluice/sdk'
import { effectiveConfig } from 'sluice/sdk/testing'
import { sessionRequest, verdictOf } from './fixtures/request.ts'
import { policyToken, SignedPolicyGate } from './signed-policy.ts'

// printf 'v1\nrtmp\npublish\nlive/test\n1862270976' | openssl dgst -sha256 -hmac 'policy-secret'
const TOKEN = '0cb09aa868b3aae57b9dc5510a173151f518112ce08cf2d57922f1ffd8b72ed5'
// printf 'v1\nflv\nplay\nlive/test\n1862270976' | openssl dgst -sha256 -hmac 'policy-secret'
const PLAY_TOKEN = 'c926945b5240024f2572f00508b2ba844a27a2cb27e1b3c7d8c849c483cd5476'
const EXPIRE = '1862270976'

const MISSING = 'signed policy: the token or its expiry is missing'
const NO_TIME = 'signed policy: the expiry is not a decimal time'
const WRONG = 'signed policy: the token is wrong'

function gateOf(config: object = {}, nowSeconds = Number(EXPIRE) - 1): SignedPolicyGate {
  const { signed_policy: policy } = effectiveConfig({}, { signed_policy: { secret: 'policy-secret', ...config } })
  return new SignedPolicyGate(policy, () => nowSeconds * 1000 + 999)
}

const SIGNED = `policy=${TOKEN}&expire=${EXPIRE}`

const cases: readonly (readonly [string, Partial<SessionRequest>, string])[] = [
  ['passes', { query: SIGNED }, 'passed'],
  ['passes for playing', { query: `policy=${PLAY_TOKEN}&expire=${EXPIRE}`, action: 'play', protocol: 'flv' }, 'passed'],
  ['binds the protocol', { query: SIGNED, protocol: 'srt' }, WRONG],
  ['binds the action', { query: SIGNED, action: 'play' }, WRONG],
  ['binds the path', { query: SIGNED, streamPath: 'live/other' }, WRONG],
  ['binds the expiry', { query: `policy=${TOKEN}&expire=1862270977` }, WRONG],
  ['binds the expiry as sent', { query: `policy=${TOKEN}&expire=01862270976` }, WRONG],
  ['is lower case', { query: `policy=${TOKEN.toUpperCase()}&expire=${EXPIRE}` }, WRONG],
  ['differs in a character', { query: `policy=${TOKEN.slice(0, -1)}6&expire=${EXPIRE}` }, WRONG],
  ['is too short', { query: `policy=${TOKEN.slice(0, -1)}&expire=${EXPIRE}` }, WRONG],
  ['is empty', { query: `policy=&expire=${EXPIRE}` }, WRONG],
  ['is missing', { query: `expire=${EXPIRE}` }, MISSING],
  ['has no expiry', { query: `policy=${TOKEN}` }, MISSING],
  ['has an empty expiry', { query: `policy=${TOKEN}&expire=` }, NO_TIME],
  ['has a hexadecimal expiry', { query: `policy=${TOKEN}&expire=6f00000a` }, NO_TIME],
  ['has a sign at its expiry', { query: `policy=${TOKEN}&expire=-1862270976` }, NO_TIME],
  ['has a fraction in its expiry', { query: `policy=${TOKEN}&expire=1862270976.5` }, NO_TIME],
  ['has an endless expiry', { query: `policy=${TOKEN}&expire=${'9'.repeat(19)}` }, NO_TIME],
]

describe('signed policy', () => {
  for (const [name, fields, verdict] of cases) {
    it(name, async () => expect(await verdictOf(gateOf().check(sessionRequest(fields)))).to.equal(verdict))
  }

  it('passes in the second of its expiry, and not after it', async () => {
    const request = sessionRequest({ query: SIGNED })
    expect(await verdictOf(gateOf({}, Number(EXPIRE)).check(request))).to.equal('passed')
    expect(await verdictOf(gateOf({}, Number(EXPIRE) + 1).check(request))).to.match(/has expired/u)
  })

  it('takes its parameters by their configured names', async () => {
    const gate = gateOf({ token_query: 'p', expire_query: 'until' })
    const renamed = sessionRequest({ query: `p=${TOKEN}&until=${EXPIRE}` })
    expect(await verdictOf(gate.check(renamed))).to.equal('passed')
    expect(await verdictOf(gate.check(sessionRequest({ query: SIGNED })))).to.equal(MISSING)
  })

  it('is made with its secret', async () => {
    const gate = gateOf({ secret: 'another' })
    expect(await verdictOf(gate.check(sessionRequest({ query: SIGNED })))).to.equal(WRONG)
  })

  it('is what openssl makes of the canonical string', () => {
    const claims = { protocol: 'rtmp', action: 'publish', streamPath: 'live/test', expire: EXPIRE } as const
    expect(policyToken('policy-secret', claims)).to.equal(TOKEN)
  })
})
