import crypto from 'node:crypto'
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { expect } from 'chai'
import type { SessionAction, SessionRequest, SluiceError } from 'sluice/sdk'
import { effectiveConfig, LogRecords, type WrittenConfig } from 'sluice/sdk/testing'
import { ControlServer } from '../../test/gates/control-server.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import type { StreamOwner } from './stream-owner.ts'
import { AdmissionGate } from './admission-webhook.ts'
import { sessionRequest, verdictOf } from './fixtures/request.ts'
import { GateChain, type Admitted, type Gate } from './gate.ts'
import { Gatekeeper, type GateConfig } from './gatekeeper.ts'
import { SignatureGate } from './signature-gate.ts'
import { SignedPolicyGate } from './signed-policy.ts'

const SIGNATURE: WrittenConfig = { enableauth: true, publish: { key: 'pubkey' }, subscribe: { key: 'subkey' } }
const POLICY = { enable: true, secret: 'policy-secret' }
/** The plugin that sets handlers. */
const GUARD = { plugin: 'guard' }
const WEBHOOK = { enable: true, url: 'http://127.0.0.1:1/' }

/** A gatekeeper, and the config that it reads. */
class Rig {
  readonly log = new LogRecords('core')
  readonly config = new FakeConfig()
  readonly keeper = new Gatekeeper({ log: this.log.logger, config: this.config })

  owner(plugin = 'rtmp'): StreamOwner {
    const log = this.log.logger
    return { plugin, generation: 1, log, config: effectiveConfig({}), closingNotice: true }
  }

  gates(config: WrittenConfig, action: SessionAction, plugin = 'rtmp'): unknown[] {
    this.config.set(plugin, config)
    return this.keeper.chainsOf(plugin)[action].gates.map((gate) => gate.constructor)
  }

  /** Asks for a session of a plugin that has this config. */
  admit(config: WrittenConfig, request: SessionRequest): Promise<Admitted> {
    this.config.set(request.protocol, config)
    return this.ask(request)
  }

  /** Asks for a session by the config as it is. */
  ask(request: SessionRequest): Promise<Admitted> {
    return this.keeper.admit(request, this.owner(request.protocol))
  }

  get warnings(): string[] {
    return this.log.problems.map(({ msg }) => msg)
  }
}

/** The config of plugins that a test changes as it likes. */
class FakeConfig implements GateConfig {
  readonly global = effectiveConfig({})
  incomplete: string | undefined
  readonly #sections = new Map<string, NonNullable<ReturnType<GateConfig['section']>>>()

  get declared(): readonly string[] {
    return [...this.#sections.keys()]
  }

  section(plugin: string): ReturnType<GateConfig['section']> {
    return this.#sections.get(plugin)
  }

  set(plugin: string, written: WrittenConfig, enabled = true): void {
    this.#sections.set(plugin, { enabled, values: effectiveConfig({}, written) })
  }

  remove(plugin: string): void {
    this.#sections.delete(plugin)
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
    rig.config.set('rtmp', {})
    await rig.ask(sessionRequest())
    const query = 'secret=e391c610bf48f98b6889a630b4f7bfc9&expire=6f000000&policy=x'
    const calls = await countCalls(async () => {
      for (let count = 0; count < 100; count++) {
        const action = count % 2 === 0 ? 'publish' : 'play'
        const request = sessionRequest({ action, query })
        expect((await rig.ask(request)).request).to.equal(request)
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
    const admitted = await rig.admit(config, request)
    expect(admitted.request).to.eql({ ...request, streamPath: 'b/c' })
    expect(admitted.lifetimeMs).to.equal(7)
    expect(control.openings[0]?.fields.stream_path).to.equal('live/test')
    expect(asked).to.equal(4)
  })

  it('shows later gates the path that was asked for, and ends what each of them began', async () => {
    const seen: string[] = []
    const ended: string[] = []
    const gateTo = (streamPath: string): Gate => ({
      name: streamPath,
      check: async (request) => {
        seen.push(request.streamPath)
        return { streamPath, onEnd: () => void ended.push(streamPath) }
      },
    })
    const { request, onEnd } = await new GateChain([gateTo('a/1'), gateTo('a/2')]).admit(sessionRequest(), rig.owner())
    expect(request.streamPath).to.equal('a/2')
    expect(seen).to.eql(['live/test', 'live/test'])
    for (const end of onEnd) end()
    expect(ended).to.eql(['a/1', 'a/2'])
  })

  it('leads what belongs to a session through the gates that look at its query, and past the control server', async () => {
    rig.config.set('rtmp', { ...SIGNATURE, admission_webhook: WEBHOOK })
    const request: SessionRequest = { ...sessionRequest(), action: 'play' }
    const authenticate = (changed: SessionRequest) => rig.keeper.authenticate(changed, rig.owner())
    rig.keeper.setHandler(GUARD, ({ stream_path: path }) => path === 'live/test')
    await authenticate(request)
    expect(await verdictOf(authenticate({ ...request, streamPath: 'live/other' }))).to.not.equal('passed')
    await authenticate({ ...request, streamPath: 'live/other', type: 'pull' })
  })

  describe('goes by the config of now, whichever generation asks', () => {
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => 'passed',
        ({ code, message }: SluiceError) => `${code} ${message}`,
      )

    it('that another key is in', async () => {
      rig.config.set('rtmp', {})
      expect(await verdictOf(rig.ask(sessionRequest()))).to.equal('passed')
      rig.config.set('rtmp', SIGNATURE)
      expect(await verdictOf(rig.ask(sessionRequest()))).to.match(/^signature: /u)
    })

    it('and makes its gates anew only when it has changed', () => {
      rig.config.set('rtmp', SIGNATURE)
      const chains = rig.keeper.chainsOf('rtmp')
      rig.config.set('flv', SIGNATURE)
      expect(rig.keeper.chainsOf('rtmp')).to.equal(chains)
      rig.config.set('rtmp', SIGNATURE)
      expect(rig.keeper.chainsOf('rtmp')).not.to.equal(chains)
    })

    it('that a plugin is switched off in, for what comes from outside', async () => {
      rig.config.set('rtmp', {}, false)
      expect(await codeOf(rig.ask(sessionRequest()))).to.equal("UNAVAILABLE plugin 'rtmp' is switched off")
      expect(await codeOf(rig.ask(sessionRequest({ type: 'pull' })))).to.equal('passed')
    })

    it('that is not known in part, in which gates may be on that let nothing in from outside', async () => {
      rig.config.set('rtmp', {})
      rig.config.incomplete = 'not known'
      expect(await codeOf(rig.ask(sessionRequest()))).to.equal('UNAVAILABLE not known')
      expect(await codeOf(rig.ask(sessionRequest({ type: 'pull' })))).to.equal('passed')
      rig.config.incomplete = undefined
      expect(await codeOf(rig.ask(sessionRequest()))).to.equal('passed')
    })

    it('that a removed plugin has gone from, and asks what belongs to its sessions by what it had last', async () => {
      rig.config.set('rtmp', SIGNATURE)
      rig.keeper.chainsOf('rtmp')
      rig.config.remove('rtmp')
      expect(await codeOf(rig.ask(sessionRequest()))).to.equal("UNAVAILABLE plugin 'rtmp' was removed")
      const playing = sessionRequest({ action: 'play' })
      expect(await verdictOf(rig.keeper.authenticate(playing, rig.owner()))).to.match(/^signature: /u)
    })
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
    rig.config.set('rtmp', SIGNATURE)
    const chains = rig.keeper.chainsOf('rtmp')
    const verdict = () => verdictOf(rig.ask(sessionRequest()))
    rig.keeper.setHandler(GUARD, () => true)
    expect(await verdict()).to.equal('passed')
    rig.keeper.setHandler(GUARD, null)
    expect(await verdict()).to.match(/^signature: /u)
    rig.keeper.setHandler(GUARD, () => true)
    rig.keeper.removeHandler(GUARD)
    expect(await verdict()).to.match(/^signature: /u)
    expect(rig.keeper.chainsOf('rtmp')).to.equal(chains)
  })

  describe('warns', () => {
    it('of a handler that a direction without key never asks, once', () => {
      rig.config.set('rtmp', { enableauth: true, publish: { key: 'k' } })
      rig.keeper.chainsOf('rtmp')
      expect(rig.warnings).to.eql([])
      rig.keeper.setHandler(GUARD, () => true)
      rig.config.set('flv', { enableauth: true, publish: { key: 'k' } })
      rig.keeper.chainsOf('flv')
      expect(rig.warnings).to.have.length(1)
      expect(rig.warnings[0]).to.match(/not asked about play sessions where enableauth is off or subscribe\.key/u)
    })

    it('not of a handler that only a plugin did not ask that is gone or off', () => {
      rig.config.set('rtmp', SIGNATURE)
      rig.config.set('flv', { ...SIGNATURE, enableauth: false })
      rig.config.set('hls', {}, false)
      rig.config.remove('flv')
      rig.keeper.setHandler(GUARD, () => true)
      expect(rig.warnings).to.eql([])
    })

    it('of a handler in either order of loading, and not where it is asked', () => {
      rig.config.set('rtmp', SIGNATURE)
      rig.keeper.setHandler(GUARD, () => true)
      expect(rig.warnings).to.eql([])
      rig.config.set('flv', { ...SIGNATURE, enableauth: false })
      rig.keeper.chainsOf('flv')
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
      expect(performance.now() - startMs).to.be.at.least(95)
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
