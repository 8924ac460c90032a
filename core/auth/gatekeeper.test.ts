import crypto from 'node:crypto'
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { expect } from 'chai'
import type { SessionAction, SessionRequest } from 'sluice/sdk'
import { effectiveConfig, LogRecords, type WrittenConfig } from 'sluice/sdk/testing'
import { ControlServer } from '../../test/gates/control-server.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import type { StreamOwner } from './stream-owner.ts'
import { AdmissionGate } from './admission-webhook.ts'
import { sessionRequest, verdictOf } from './fixtures/request.ts'
import type { Gate } from './gate.ts'
import { Gatekeeper, type Passage } from './gatekeeper.ts'
import { SignatureGate } from './signature-gate.ts'
import { SignedPolicyGate } from './signed-policy.ts'

const SIGNATURE: WrittenConfig = { enableauth: true, publish: { key: 'pubkey' }, subscribe: { key: 'subkey' } }
const POLICY = { enable: true, secret: 'policy-secret' }
/** The plugin that sets handlers. */
const GUARD = { plugin: 'guard' }
const WEBHOOK = { enable: true, url: 'http://127.0.0.1:1/' }

/** A gatekeeper, and the plugins that use it. */
class Rig {
  readonly log = new LogRecords('core')
  readonly keeper = new Gatekeeper({ log: this.log.logger })

  owner(config: WrittenConfig, plugin = 'rtmp', closingNotice = true): StreamOwner {
    const log = this.log.logger
    return { plugin, generation: 1, log, config: effectiveConfig({}, config), closingNotice }
  }

  gates(config: WrittenConfig, action: SessionAction, plugin?: string): unknown[] {
    return this.keeper.chainFor(this.owner(config, plugin))[action].map((gate) => gate.constructor)
  }

  admit(config: WrittenConfig, request: SessionRequest): Promise<Passage> {
    return this.keeper.admit(request, this.keeper.chainFor(this.owner(config, request.protocol)))
  }

  get warnings(): string[] {
    return this.log.problems.map(({ msg }) => msg)
  }
}

describe('gatekeeper', () => {
  let rig: Rig
  beforeEach(() => {
    rig = new Rig()
  })
  afterEach(() => rig.keeper.close(0))

  describe('has the gates that are on, in the order of the spec', () => {
    const all = [SignatureGate, SignedPolicyGate, AdmissionGate]
    const cases: readonly (readonly [string, WrittenConfig, readonly unknown[], readonly unknown[]])[] = [
      ['nothing', {}, [], []],
      ['all', { ...SIGNATURE, signed_policy: POLICY, admission_webhook: WEBHOOK }, all, all],
      ['keys without enableauth', { ...SIGNATURE, enableauth: false }, [], []],
      ['enableauth without keys', { enableauth: true }, [], []],
      ['a publish key', { enableauth: true, publish: { key: 'k' } }, [SignatureGate], []],
      ['a subscribe key', { enableauth: true, subscribe: { key: 'k' } }, [], [SignatureGate]],
      ['a policy', { signed_policy: POLICY }, [SignedPolicyGate], [SignedPolicyGate]],
      ['a policy that is off', { signed_policy: { ...POLICY, enable: false } }, [], []],
      ['a policy without secret', { signed_policy: { enable: true } }, [], []],
      ['a policy for publish', { signed_policy: { ...POLICY, actions: ['publish'] } }, [SignedPolicyGate], []],
      ['a policy for play', { signed_policy: { ...POLICY, actions: ['play'] } }, [], [SignedPolicyGate]],
      [
        'a policy for rtmp',
        { signed_policy: { ...POLICY, protocols: ['flv', 'rtmp'] } },
        [SignedPolicyGate],
        [SignedPolicyGate],
      ],
      ['a policy for others', { signed_policy: { ...POLICY, protocols: ['flv'] } }, [], []],
      [
        'a policy whose lists are empty',
        { signed_policy: { ...POLICY, actions: [], protocols: [] } },
        [SignedPolicyGate],
        [SignedPolicyGate],
      ],
      ['a webhook', { admission_webhook: WEBHOOK }, [AdmissionGate], [AdmissionGate]],
      ['a webhook that is off', { admission_webhook: { ...WEBHOOK, enable: false } }, [], []],
      ['a webhook without url', { admission_webhook: { enable: true } }, [], []],
      ['a webhook for publish', { admission_webhook: { ...WEBHOOK, actions: ['publish'] } }, [AdmissionGate], []],
      ['a webhook for play', { admission_webhook: { ...WEBHOOK, actions: ['play'] } }, [], [AdmissionGate]],
      ['a webhook for others', { admission_webhook: { ...WEBHOOK, protocols: ['srt'] } }, [], []],
    ]
    for (const [name, config, publish, play] of cases) {
      it(name, () => {
        expect(rig.gates(config, 'publish')).to.eql(publish)
        expect(rig.gates(config, 'play')).to.eql(play)
      })
    }
  })

  it('does nothing at all for a session when all gates are off', async () => {
    let handled = 0
    rig.keeper.setHandler(GUARD, () => handled++)
    const chain = rig.keeper.chainFor(rig.owner({}))
    const query = 'secret=e391c610bf48f98b6889a630b4f7bfc9&expire=6f000000&policy=x'
    const calls = await countCalls(async () => {
      for (let count = 0; count < 100; count++) {
        const action = count % 2 === 0 ? 'publish' : 'play'
        const request = sessionRequest({ action, query })
        expect((await rig.keeper.admit(request, chain)).request).to.equal(request)
      }
    })
    expect(calls).to.eql([])
    expect(handled).to.equal(0)
  })

  it('has a counter that counts', async () => {
    const query = 'secret=e391c610bf48f98b6889a630b4f7bfc9&expire=6f000000&policy=x'
    const webhook = { ...WEBHOOK, timeout_ms: 1000 }
    const calls = await countCalls(async () => {
      await verdictOf(rig.admit(SIGNATURE, sessionRequest({ query })))
      await verdictOf(rig.admit({ signed_policy: POLICY }, sessionRequest({ query: 'policy=x&expire=4102444800' })))
      await verdictOf(rig.admit({ admission_webhook: webhook }, sessionRequest({ query })))
    })
    expect(new Set(calls)).to.include.all.keys('createHash', 'createHmac', 'randomUUID', 'request', 'setTimeout')
  })

  it('asks the gates of the direction only', async () => {
    const publishOnly = { enableauth: true, publish: { key: 'k' } }
    expect(await verdictOf(rig.admit(publishOnly, sessionRequest({ action: 'play' })))).to.equal('passed')
    expect(await verdictOf(rig.admit(publishOnly, sessionRequest()))).to.match(/^signature: /u)
  })

  it("exempts sessions of the server's own making", async () => {
    for (const type of ['pull', 'push', 'vod', 'transform', 'replay', 'api'] as const) {
      expect(await verdictOf(rig.admit(SIGNATURE, sessionRequest({ type })))).to.equal('passed')
    }
  })

  it('stops at the first gate that denies, and binds all to the path that was asked for', async () => {
    const control = await ControlServer.start(() => ({ body: { allowed: true, stream_path: 'b/c', lifetime_ms: 7 } }))
    let asked = 0
    rig.keeper.setHandler(GUARD, () => {
      asked++
      return asked > 2
    })
    const webhook = { ...WEBHOOK, url: control.url }
    const config = { ...SIGNATURE, signed_policy: POLICY, admission_webhook: webhook }
    expect(await verdictOf(rig.admit(config, sessionRequest()))).to.match(/auth handler refused/u)
    expect(await verdictOf(rig.admit(config, sessionRequest()))).to.match(/auth handler refused/u)
    expect(control.requests).to.eql([])
    // The handler allows now; the policy must still pass.
    expect(await verdictOf(rig.admit(config, sessionRequest()))).to.equal(
      'signed policy: the token or its expiry is missing',
    )
    expect(control.requests).to.eql([])

    // printf 'v1\nrtmp\npublish\nlive/test\n4102444800' | openssl dgst -sha256 -hmac 'policy-secret'
    const token = '15f1b4cbd67b37d27ff03533509fa93158f57120e5f92948e1b9df14de39817d'
    const query = `policy=${token}&expire=4102444800`
    const request = sessionRequest({ query })
    const passage = await rig.admit(config, request)
    expect(passage.request).to.eql({ ...request, streamPath: 'b/c' })
    expect(passage.lifetimeMs).to.equal(7)
    expect(control.openings[0]?.fields.stream_path).to.equal('live/test')
    expect(asked).to.equal(4)
  })

  it('shows later gates the path that was asked for, and ends what each of them began', async () => {
    const seen: string[] = []
    const ended: string[] = []
    const gateTo = (streamPath: string): Gate => ({
      check: async (request) => {
        seen.push(request.streamPath)
        return { streamPath, onEnd: () => void ended.push(streamPath) }
      },
    })
    const chain = { publish: [gateTo('a/1'), gateTo('a/2')], play: [], playAuth: [] }
    const { request, onEnd } = await rig.keeper.admit(sessionRequest(), chain)
    expect(request.streamPath).to.equal('a/2')
    expect(seen).to.eql(['live/test', 'live/test'])
    for (const end of onEnd) end()
    expect(ended).to.eql(['a/1', 'a/2'])
  })

  it('leads what belongs to a session through the gates that look at its query, and past the control server', async () => {
    const chain = rig.keeper.chainFor(rig.owner({ ...SIGNATURE, admission_webhook: WEBHOOK }))
    const request: SessionRequest = { ...sessionRequest(), action: 'play' }
    rig.keeper.setHandler(GUARD, ({ stream_path: path }) => path === 'live/test')
    await rig.keeper.authenticate(request, chain)
    const denied = rig.keeper.authenticate({ ...request, streamPath: 'live/other' }, chain)
    expect(await verdictOf(denied)).to.not.equal('passed')
    await rig.keeper.authenticate({ ...request, streamPath: 'live/other', type: 'pull' }, chain)
  })

  it('knows the newest chain of each plugin', () => {
    rig.keeper.chainFor(rig.owner(SIGNATURE))
    const chain = rig.keeper.chainFor(rig.owner({}))
    rig.keeper.chainFor(rig.owner(SIGNATURE, 'flv'))
    expect(rig.keeper.newestChain('rtmp')).to.equal(chain)
    expect(rig.keeper.newestChain('hls')).to.equal(undefined)
  })

  it('goes back to the chain of the generation before when the newest one ends', () => {
    const [running, failed] = [rig.owner(SIGNATURE), rig.owner({})]
    const chain = rig.keeper.chainFor(running)
    rig.keeper.chainFor(failed)
    rig.keeper.removeOwner(failed)
    expect(rig.keeper.newestChain('rtmp')).to.equal(chain)
    rig.keeper.removeOwner(running)
    expect(rig.keeper.newestChain('rtmp')).to.equal(undefined)
  })

  it('asks the handler only where a direction has a key and enableauth is on', async () => {
    let asked = 0
    rig.keeper.setHandler(GUARD, () => void asked++)
    await rig.admit({}, sessionRequest())
    await rig.admit({ ...SIGNATURE, enableauth: false }, sessionRequest())
    await rig.admit({ enableauth: true, subscribe: { key: 'k' } }, sessionRequest())
    expect(asked).to.equal(0)
    await rig.admit({ enableauth: true, publish: { key: 'k' } }, sessionRequest())
    expect(asked).to.equal(1)
  })

  it('takes up a handler, and gives it up, without a new chain', async () => {
    const chain = rig.keeper.chainFor(rig.owner(SIGNATURE))
    const verdict = () => verdictOf(rig.keeper.admit(sessionRequest(), chain))
    rig.keeper.setHandler(GUARD, () => true)
    expect(await verdict()).to.equal('passed')
    rig.keeper.setHandler(GUARD, null)
    expect(await verdict()).to.match(/^signature: /u)
    rig.keeper.setHandler(GUARD, () => true)
    rig.keeper.removeHandler(GUARD)
    expect(await verdict()).to.match(/^signature: /u)
  })

  describe('warns', () => {
    it('of a gate that is on without what it needs, once', () => {
      const config = { signed_policy: { enable: true }, admission_webhook: { enable: true } }
      for (const plugin of ['rtmp', 'flv', 'rtmp']) rig.keeper.chainFor(rig.owner(config, plugin))
      expect(rig.warnings).to.eql([
        'signed_policy.enable has no effect without signed_policy.secret',
        'admission_webhook.enable has no effect without admission_webhook.url',
      ])
    })

    it('of an expiry name that both gates use, and says which key to rename', () => {
      const config = { ...SIGNATURE, signed_policy: POLICY }
      for (const plugin of ['rtmp', 'flv']) rig.keeper.chainFor(rig.owner(config, plugin))
      expect(rig.warnings).to.have.length(1)
      expect(rig.warnings[0]).to.match(/"expire".*rename signed_policy\.expire_query or expireargname/u)
    })

    it('of one that a direction gives itself', () => {
      const publish = { key: 'k', expireargname: 'until' }
      rig.keeper.chainFor(rig.owner({ enableauth: true, publish, signed_policy: { ...POLICY, expire_query: 'until' } }))
      expect(rig.warnings).to.have.length(1)
      expect(rig.warnings[0]).to.match(/"until"/u)
    })

    const quiet: readonly (readonly [string, WrittenConfig])[] = [
      ['the policy has another', { ...SIGNATURE, signed_policy: { ...POLICY, expire_query: 'until' } }],
      ['the signature has another', { ...SIGNATURE, expireargname: 'e', signed_policy: POLICY }],
      ['signatures are off', { ...SIGNATURE, enableauth: false, signed_policy: POLICY }],
      ['no direction has a key', { enableauth: true, signed_policy: POLICY }],
      ['the policy is off', { ...SIGNATURE, signed_policy: { secret: 'policy-secret' } }],
      ['nothing is on', {}],
    ]
    for (const [name, config] of quiet) {
      it(`not of the expiry name where ${name}`, () => {
        rig.keeper.chainFor(rig.owner(config))
        expect(rig.warnings).to.eql([])
      })
    }

    it('of a handler that a direction without key never asks, once', () => {
      rig.keeper.chainFor(rig.owner({ enableauth: true, publish: { key: 'k' } }))
      expect(rig.warnings).to.eql([])
      rig.keeper.setHandler(GUARD, () => true)
      rig.keeper.chainFor(rig.owner({ enableauth: true, publish: { key: 'k' } }, 'flv'))
      expect(rig.warnings).to.have.length(1)
      expect(rig.warnings[0]).to.match(/not asked about play sessions where enableauth is off or subscribe\.key/u)
    })

    it('not of a handler that only a plugin that is gone did not ask', () => {
      rig.keeper.chainFor(rig.owner(SIGNATURE))
      const gone = rig.owner({ ...SIGNATURE, enableauth: false }, 'flv')
      rig.keeper.chainFor(gone)
      rig.keeper.removeOwner(gone)
      rig.keeper.setHandler(GUARD, () => true)
      expect(rig.warnings).to.eql([])
    })

    it('of a handler in either order of loading, and not where it is asked', () => {
      rig.keeper.setHandler(GUARD, () => true)
      rig.keeper.chainFor(rig.owner(SIGNATURE))
      expect(rig.warnings).to.eql([])
      rig.keeper.chainFor(rig.owner({ ...SIGNATURE, enableauth: false }, 'flv'))
      expect(rig.warnings).to.have.length(2)
    })
  })

  describe('waits at its end for closing notices', () => {
    async function ended(control: ControlServer): Promise<void> {
      const webhook = { ...WEBHOOK, url: control.url, notify_closing: true }
      const { onEnd } = await rig.admit({ admission_webhook: webhook }, sessionRequest())
      for (const end of onEnd) end()
    }

    it('that are under way', async () => {
      const control = await ControlServer.start()
      await ended(control)
      await rig.keeper.close(5000)
      expect(control.closings).to.have.length(1)
    })

    it('but not for ever', async () => {
      const control = await ControlServer.start(({ fields }) =>
        fields.status === 'closing' ? 'never' : { body: { allowed: true } },
      )
      await ended(control)
      const startMs = performance.now()
      await rig.keeper.close(100)
      expect(performance.now() - startMs).to.be.within(95, 1500)
      await waitFor(() => rig.warnings.includes('the control server was not told of the end'))
    })
  })
})

/** The names of the calls to hashes, timers, random numbers and HTTP requests that the work makes. */
async function countCalls(work: () => Promise<void>): Promise<string[]> {
  const calls: string[] = []
  const undo = [
    spy(crypto, 'createHash', calls),
    spy(crypto, 'createHmac', calls),
    spy(crypto, 'timingSafeEqual', calls),
    spy(crypto, 'randomUUID', calls),
    spy(http, 'request', calls),
    spy(globalThis, 'setTimeout', calls),
  ]
  syncBuiltinESMExports()
  try {
    await work()
  } finally {
    for (const restore of undo) restore()
    syncBuiltinESMExports()
  }
  return calls
}

function spy<Name extends string>(owner: Record<Name, unknown>, name: Name, calls: string[]): () => void {
  const original = owner[name]
  if (typeof original !== 'function') throw new Error(`${name} is no function`)
  owner[name] = new Proxy(original, {
    apply(target, self, args) {
      calls.push(name)
      return Reflect.apply(target, self, args) as unknown
    },
  })
  return () => {
    owner[name] = original
  }
}
