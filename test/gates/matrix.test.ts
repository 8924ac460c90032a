import { expect } from 'chai'
import { startServer, type RunningServer } from '../support/server.ts'
import { isSoak } from '../support/soak.ts'
import { WAYS, type Attempt, type Way } from './clients.ts'
import { ControlServer, type ControlReply } from './control-server.ts'
import { fakeProtocolFolder } from './plugin-folder.ts'
import { policyQuery, signatureQuery, soon } from './signing.ts'

const SECRETS = {
  publishKey: 's3cret-publish-key',
  subscribeKey: 's3cret-subscribe-key',
  policy: 's3cret-of-the-policy',
  webhook: 's3cret-of-the-webhook',
  word: 'open-s3same',
}
/** Longer than a busy machine takes for an answer. */
const TIMEOUT_MS = 3000

/** What stands first: nothing, the signature, or the custom handler in its place. */
type First = 'off' | 'signature' | 'handler'
type Combination = { readonly first: First; readonly policy: boolean; readonly webhook: boolean }

/** What is wrong with a session; `cause` is what the log says of it. */
type Failure = { readonly gate: keyof Combination; readonly name: string; readonly cause: RegExp }

const HANG = 'hang'
const NO_ANSWER = 'no answer'

const FAILURES: readonly Failure[] = [
  { gate: 'first', name: 'no signature', cause: /^signature: it or its expiry is missing/u },
  { gate: 'first', name: 'a wrong signature', cause: /^signature: it is wrong/u },
  { gate: 'first', name: 'an expired signature', cause: /^signature: it has expired/u },
  { gate: 'first', name: 'refuse', cause: /^the auth handler refused: r3ason/u },
  { gate: 'first', name: 'throw', cause: /^the auth handler refused: r3ason/u },
  { gate: 'first', name: 'reject', cause: /^the auth handler refused: r3ason/u },
  { gate: 'first', name: HANG, cause: /^the auth handler refused: it did not answer/u },
  { gate: 'policy', name: 'no token', cause: /^signed policy: the token or its expiry is missing/u },
  { gate: 'policy', name: 'a wrong token', cause: /^signed policy: the token is wrong/u },
  { gate: 'policy', name: 'an expired token', cause: /^signed policy: the token has expired/u },
  { gate: 'webhook', name: 'not allowed', cause: /^the control server refused: r3ason/u },
  { gate: 'webhook', name: 'no word of it', cause: /^the control server refused: no reason given/u },
  { gate: 'webhook', name: 'status 500', cause: /^the control server failed: it answered with status 500/u },
  { gate: 'webhook', name: 'no JSON', cause: /^the control server failed: its answer is not JSON/u },
  { gate: 'webhook', name: NO_ANSWER, cause: /^the control server failed: no answer in 3000 ms/u },
  { gate: 'webhook', name: 'a cut connection', cause: /^the control server failed: /u },
  { gate: 'webhook', name: 'no path', cause: /^the stream_path of the control server's answer/u },
]
const OF_SIGNATURE = ['no signature', 'a wrong signature', 'an expired signature']

// By the place of the failure, for what a client sends in its query is taken out of reasons.
const REPLIES: Readonly<Record<string, ControlReply>> = {
  'not allowed': { body: { allowed: false, reason: 'r3ason of the control server' } },
  'no word of it': { body: {} },
  'status 500': { status: 500, body: { allowed: true } },
  'no JSON': { body: 'r3ason' },
  'no answer': 'never',
  'a cut connection': 'cut',
  'no path': { body: { allowed: true, stream_path: 'rtmp://host/live/a' } },
}

const ALL_COMBINATIONS: readonly Combination[] = (['off', 'signature', 'handler'] as const).flatMap((first) =>
  [false, true].flatMap((policy) => [false, true].map((webhook) => ({ first, policy, webhook }))),
)
/** Each gate alone, and all of them, where a soak has every combination. */
const COMBINATIONS = ALL_COMBINATIONS.filter(({ first, policy, webhook }) => {
  const count = [first !== 'off', policy, webhook].filter(Boolean).length
  return isSoak || count !== 2
})

/** What takes until its time is over, so that all ways wait for it at once. */
function slowFailuresOf(combination: Combination): Failure[] {
  return FAILURES.filter(({ name }) => {
    if (name === HANG) return combination.first === 'handler'
    return name === NO_ANSWER && nameOf(combination) === 'webhook'
  })
}

function nameOf({ first, policy, webhook }: Combination): string {
  const on = [first === 'off' ? '' : first, policy ? 'policy' : '', webhook ? 'webhook' : ''].filter(Boolean)
  return on.length === 0 ? 'no gate' : on.join(' + ')
}

function configOf({ first, policy, webhook }: Combination, pluginsDir: string, control: ControlServer): string {
  return `
global:
  plugins_dir: ${JSON.stringify(pluginsDir)}
  enable_auth: ${first !== 'off'}
  auth_timeout: ${TIMEOUT_MS}ms
  publish: { key: ${SECRETS.publishKey} }
  subscribe: { key: ${SECRETS.subscribeKey} }
  signed_policy: { enable: ${policy}, secret: ${SECRETS.policy}, expire_query: until }
  admission_webhook:
    enable: ${webhook}
    url: ${control.url}
    secret: ${SECRETS.webhook}
    timeout_ms: ${TIMEOUT_MS}
    notify_closing: true
rtmp: { publish: { key: ${SECRETS.publishKey} } }
fake: { handler: ${first === 'handler'} }
`
}

/** Those that show at once. */
function failuresOf(combination: Combination): Failure[] {
  return FAILURES.filter(({ gate, name }) => {
    if (name === HANG || name === NO_ANSWER) return false
    if (gate !== 'first') return combination[gate]
    return combination.first !== 'off' && OF_SIGNATURE.includes(name) === (combination.first === 'signature')
  })
}

/** The query of a session that all gates that are on should let in, but for one fault; its values are secrets. */
function queryOf(combination: Combination, way: Way, streamPath: string, fault: string): string {
  const { action, protocol } = way
  const key = action === 'publish' ? SECRETS.publishKey : SECRETS.subscribeKey
  const past = soon() - 7200
  const parts = [`fault=${FAILURES.findIndex(({ name }) => name === fault)}`]
  if (combination.first === 'signature' && fault !== 'no signature') {
    const signedPath = fault === 'a wrong signature' ? 'live/other' : streamPath
    parts.push(signatureQuery(key, signedPath, fault === 'an expired signature' ? past : undefined))
  }
  const ofHandler = FAILURES.some(({ gate, name }) => gate === 'first' && name === fault)
  if (combination.first === 'handler') parts.push(`word=${ofHandler ? fault : SECRETS.word}`)
  if (combination.policy && fault !== 'no token') {
    const claims = { protocol, action, streamPath: fault === 'a wrong token' ? 'live/other' : streamPath }
    parts.push(policyQuery(SECRETS.policy, claims, fault === 'an expired token' ? past : undefined))
  }
  return parts.join('&')
}

describe('gates, alone and together, by every way in', () => {
  for (const combination of COMBINATIONS) {
    describe(nameOf(combination), () => {
      const secrets = new Set(Object.values(SECRETS))
      let server: RunningServer
      let control: ControlServer
      let paths = 0
      let denials = 0

      before(async () => {
        control = await ControlServer.start(({ fields }) => {
          return (
            REPLIES[FAILURES[Number(fields.query['fault'])]?.name ?? ''] ?? {
              body: { allowed: true, lifetime_ms: 1000 },
            }
          )
        })
        server = await startServer({ config: configOf(combination, await fakeProtocolFolder(), control) })
      })

      after(async () => {
        await server.stop()
        await control.close()
      })

      async function attempt(way: Way, fault: string): Promise<Attempt> {
        const streamPath = way.action === 'publish' ? `live/p${++paths}` : 'live/source'
        const query = queryOf(combination, way, streamPath, fault)
        const params = new URLSearchParams(query)
        for (const name of ['secret', 'policy']) if (params.has(name)) secrets.add(params.get(name) ?? '')
        return way.open(server, `${streamPath}?${query}`)
      }

      for (const way of WAYS) {
        it(`${way.name}: admits what is right`, async () => {
          const session = await attempt(way, '')
          expect(session.told).not.to.match(way.denial)
          expect(session.admitted).to.equal(true)
          session.close()
        })

        const failures = failuresOf(combination)
        if (failures.length === 0) continue
        it(`${way.name}: denies ${failures.map(({ name }) => name).join(', ')}`, async () => {
          const since = server.records.length
          const attempts = await Promise.all(failures.map(async ({ name }) => attempt(way, name)))
          for (const [index, { admitted, told }] of attempts.entries()) {
            expect(admitted, failures[index]?.name).to.equal(false)
            expect(told).to.match(way.denial)
            expect(told).not.to.match(/r3ason|s3cret|signature|policy|control server|status 500/u)
          }
          const denied = server.records.slice(since).filter(({ msg }) => msg === 'denied')
          denials += denied.length
          expect(denied).to.have.length(failures.length)
          for (const { cause, name } of failures) {
            expect(
              denied.some(({ reason }) => cause.test(String(reason))),
              name,
            ).to.equal(true)
          }
        })
      }

      for (const { name, cause } of slowFailuresOf(combination)) {
        it(`denies ${name}, by every way`, async () => {
          const since = server.records.length
          const attempts = await Promise.all(WAYS.map((way) => attempt(way, name)))
          for (const [index, { admitted, told }] of attempts.entries()) {
            const way = WAYS[index]!
            expect(admitted, way.name).to.equal(false)
            expect(told, way.name).to.match(way.denial)
          }
          const denied = server.records.slice(since).filter(({ msg }) => msg === 'denied')
          expect(denied.filter(({ reason }) => cause.test(String(reason)))).to.have.length(WAYS.length)
          denials += denied.length
        })
      }

      it('asks the control server when it is on, and only for what passed the gates before', () => {
        const failures = [...failuresOf(combination), ...slowFailuresOf(combination)]
        const expected = failures.filter(({ gate }) => gate === 'webhook').length + 1
        expect(control.openings).to.have.length(combination.webhook ? WAYS.length * expected : 0)
      })

      it('shows no secret, token or signature in the log and in API answers', async () => {
        const apis = ['/api/sysinfo', '/api/plugins/disabled', '/api/stream/list', '/api/stream/info/live/source']
        apis.push('/api/subscribers', '/api/stream/waitlist', '/api/stream/info/live/nope')
        const answers = await Promise.all(
          apis.map(async (path) => (await fetch(server.http(`${path}?secret=${SECRETS.publishKey}`))).text()),
        )
        const { told } = await attempt(WAYS[0]!, 'no token')
        const shown = { log: JSON.stringify(server.records), api: answers.join('\n'), told }
        expect(shown.log).to.include('"level":"debug"')
        expect(denials > 0).to.equal(failuresOf(combination).length > 0)
        expect(answers.join('')).to.include('******')
        for (const [where, text] of Object.entries(shown)) {
          for (const secret of secrets) expect(text.includes(secret), `${secret} in the ${where}`).to.equal(false)
        }
        expect(shown.api).not.to.include('r3ason')
      })
    })
  }
})
