import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { definePlugin } from 'sluice/sdk'
import { Config } from './config.ts'
import { configErrorOf, configOf, RELAY } from './fixtures/temp-config.ts'
import type { Source } from './settings.ts'

const BARE = definePlugin({ name: 'bare', version: '1.0.0', setup() {} })

describe('config values', () => {
  const cases: { name: string; text: string; path: string; value: unknown }[] = [
    { name: 'other spellings', text: 'RE_LAY: {Chunk-Size: 2048}', path: 'chunksize', value: 2048 },
    {
      name: 'other spellings in maps',
      text: 'relay: {pull: {A_b: {URL: x, Retry_Interval: 7s}}}',
      path: 'pull',
      value: { A_b: { url: 'x', retryinterval: 7000, credential: '' } },
    },
    {
      name: 'underscores of the schema',
      text: 'relay: {SignedPolicy: {tokenquery: t}}',
      path: 'signed_policy.token_query',
      value: 't',
    },
    { name: 'a scalar in place of a group', text: 'relay: {tcp: ":1936"}', path: 'tcp.listenaddr', value: ':1936' },
    {
      name: 'the same for an inherited group',
      text: 'relay: {http: 127.0.0.1:81}',
      path: 'http.listenaddr',
      value: '127.0.0.1:81',
    },
    {
      name: 'a scalar in place of an entry',
      text: 'relay: {pull: {a: rtmp://b/c}}',
      path: 'pull',
      value: { a: { url: 'rtmp://b/c', retryinterval: 5000, credential: '' } },
    },
    { name: 'a scalar in place of a list', text: 'relay: {nicknames: abc}', path: 'nicknames', value: ['abc'] },
    { name: 'an empty group', text: 'relay:\n  tcp:\n  linger: 1s', path: 'tcp.listenaddr', value: ':1935' },
    { name: 'a duration with units', text: 'relay: {linger: 1m30s}', path: 'linger', value: 90_000 },
    { name: 'a bare integer as seconds', text: 'relay: {linger: 4}', path: 'linger', value: 4000 },
    { name: 'auto', text: 'relay: {subscribe: {writemerge: auto}}', path: 'subscribe.writemerge', value: 'auto' },
    {
      name: 'a duration instead of auto',
      text: 'relay: {subscribe: {writemerge: 350ms}}',
      path: 'subscribe.writemerge',
      value: 350,
    },
    { name: 'a size', text: 'relay: {subscribe: {queuesize: 512KB}}', path: 'subscribe.queuesize', value: 524_288 },
    { name: 'a numeric choice', text: 'relay: {subscribe: {submode: 2}}', path: 'subscribe.submode', value: 2 },
    { name: 'a numeric password as written', text: 'relay: {passphrase: 007}', path: 'passphrase', value: '007' },
    {
      name: 'numbers in a list of strings',
      text: 'relay: {nicknames: [1.50, 0x1F, true-ish]}',
      path: 'nicknames',
      value: ['1.50', '0x1F', 'true-ish'],
    },
    { name: 'an IPv6 address in quotes', text: "relay: {tcp: '[::1]:80'}", path: 'tcp.listenaddr', value: '[::1]:80' },
    { name: 'no address', text: "relay: {tcp: ''}", path: 'tcp.listenaddr', value: '' },
    { name: 'an anchor', text: 'x: &names [a, b]\nrelay: {nicknames: *names}', path: 'nicknames', value: ['a', 'b'] },
  ]
  for (const { name, text, path, value } of cases) {
    it(`reads ${name}`, async () => {
      const { values } = (await configOf(text)).declare(RELAY)
      const found = path.split('.').reduce<unknown>((group, key) => (group as Record<string, unknown>)[key], values)
      expect(found).to.deep.equal(value)
    })
  }

  it('freezes everything', async () => {
    const config = await configOf('relay: {pull: {a: b}, nicknames: [c]}')
    const frozenParts = (value: unknown): boolean =>
      typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(frozenParts))
    expect(frozenParts(config.declare(RELAY).values)).to.equal(true)
    expect(frozenParts(config.global)).to.equal(true)
  })

  it('has the server keys in global only', async () => {
    const config = await configOf('global: {plugins_dir: ./more, draintimeout: 0}')
    expect(config.global).to.include({ disableall: false, draintimeout: 0 })
    expect(config.global.plugins_dir).to.deep.equal(['./more'])
    expect(config.declare(BARE).values).not.to.have.property('draintimeout')
  })

  it('gives a plugin without config the inherited groups', async () => {
    const { values } = (await configOf('')).declare(BARE)
    expect(values.publish.publishtimeout).to.equal(10_000)
    expect(values).not.to.have.property('enable')
  })

  it('makes no file of defaults when none is named and none is there', async () => {
    const before = process.cwd()
    process.chdir(await mkdtemp(path.join(tmpdir(), 'sluice-empty-')))
    try {
      const config = await Config.load({ env: {} })
      expect(config.file).to.equal(undefined)
      expect(config.warnings()).to.deep.equal(['there is no config.yaml here, so defaults apply'])
      expect(await config.reload()).to.deep.equal([])
    } finally {
      process.chdir(before)
    }
  })

  it('asks for a key that has no default', async () => {
    const needy = { ...RELAY, config: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } } }
    const config = await configOf('relay: {}')
    const error = await configErrorOf(() => config.declare(needy as unknown as typeof BARE))
    expect(error.problems[0]).to.include({ line: 1, key: 'relay.url', message: 'is missing, and has no default' })
  })
})

describe('config precedence', () => {
  const FILE = 'relay: {publish: {publishtimeout: 3s}}'
  const GLOBAL_FILE = 'global: {publish: {publishtimeout: 2s, idletimeout: 2s}}'
  const ENV = { SLUICE_RELAY_PUBLISH_PUBLISHTIMEOUT: '4s' }
  const GLOBAL_ENV = { SLUICE_GLOBAL_PUBLISH_PUBLISHTIMEOUT: '5s', SLUICE_GLOBAL_PUBLISH_IDLETIMEOUT: '5s' }
  const both = `${GLOBAL_FILE}\n${FILE}`
  const cases: { text: string; env: NodeJS.ProcessEnv; key: string; value: number | string; source: Source }[] = [
    { text: '', env: {}, key: 'publish.idletimeout', value: '0s', source: 'default' },
    { text: GLOBAL_FILE, env: {}, key: 'publish.idletimeout', value: '2s', source: 'global' },
    { text: GLOBAL_FILE, env: GLOBAL_ENV, key: 'publish.idletimeout', value: '5s', source: 'global' },
    { text: '', env: {}, key: 'publish.publishtimeout', value: '7s', source: 'plugin' },
    { text: GLOBAL_FILE, env: GLOBAL_ENV, key: 'publish.publishtimeout', value: '7s', source: 'plugin' },
    { text: both, env: GLOBAL_ENV, key: 'publish.publishtimeout', value: '3s', source: 'file' },
    { text: both, env: { ...GLOBAL_ENV, ...ENV }, key: 'publish.publishtimeout', value: '4s', source: 'env' },
    { text: '', env: {}, key: 'chunksize', value: 1024, source: 'plugin' },
    { text: 'relay: {chunksize: 1024}', env: {}, key: 'chunksize', value: 1024, source: 'file' },
  ]
  for (const { text, env, key, value, source } of cases) {
    it(`takes ${key} = ${value} from ${source} for [${text.replaceAll('\n', '; ')}] and [${Object.keys(env).join()}]`, async () => {
      const config = await configOf(text, env)
      const { sources } = config.declare(RELAY)
      expect(config.describe('relay').find((entry) => entry.key === key)).to.include({ value, source })
      expect(sources.get(key)).to.equal(source)
    })
  }

  it('inherits key by key', async () => {
    const config = await configOf('global: {publish: {key: a, maxcount: 3}}\nrelay: {publish: {key: b}}')
    const { values, sources } = config.declare(RELAY)
    expect(values.publish).to.include({ key: 'b', maxcount: 3, publishtimeout: 7000 })
    expect(sources.get('publish.maxcount')).to.equal('global')
  })

  it('lets a plugin empty an inherited key', async () => {
    const config = await configOf("global: {publish: {key: a}}\nrelay: {publish: {key: ''}}")
    expect(config.declare(RELAY).values.publish.key).to.equal('')
  })

  it("lets a plugin's group add to an inherited one", async () => {
    const config = await configOf('global: {publish: {maxcount: 3}}\nvod: {publish: {speed: 2}}')
    const group = { type: 'object', properties: { speed: { type: 'number', default: 1 } } }
    const vod = { ...BARE, name: 'vod', config: { type: 'object', properties: { publish: group } } }
    const { values } = config.declare(vod as unknown as typeof BARE)
    expect(values.publish).to.include({ speed: 2, maxcount: 3 })
  })

  const switches: { name: string; text: string; env?: NodeJS.ProcessEnv; enabled: boolean }[] = [
    { name: 'on by default', text: '', enabled: true },
    { name: 'off in the file', text: 'relay: {enable: false}', enabled: false },
    { name: 'off in the environment', text: '', env: { SLUICE_RELAY_ENABLE: 'false' }, enabled: false },
    { name: 'off in the environment by 0', text: '', env: { SLUICE_RELAY_ENABLE: '0' }, enabled: false },
    { name: 'off with all', text: 'global: {disableall: true}', enabled: false },
    { name: 'on in spite of all', text: 'global: {disableall: true}\nrelay: {enable: true}', enabled: true },
  ]
  it('has a plugin that was a part of the server on with all off, unless it is switched off itself', async () => {
    const feature = { ...RELAY, formerNames: { tables: ['sluice_relay'] } }
    expect((await configOf('global: {disableall: true}')).declare(feature).enabled).to.equal(true)
    expect((await configOf('relay: {enable: false}')).declare(feature).enabled).to.equal(false)
  })

  for (const { name, text, env, enabled } of switches) {
    it(`has a plugin ${name}`, async () => {
      expect((await configOf(text, env)).declare(RELAY).enabled).to.equal(enabled)
    })
  }

  it('resolves without registering, and forgets', async () => {
    const config = await configOf('relay: {chunksize: 2048}')
    expect(config.resolve(RELAY).values.chunksize).to.equal(2048)
    expect(config.declared).to.deep.equal([])
    expect(config.undeclaredSections().map(({ name, place }) => [name, place.line])).to.deep.equal([['relay', 1]])
    config.declare(RELAY)
    expect(config.undeclaredSections()).to.deep.equal([])
    config.forget('relay')
    expect(config.section('relay')).to.equal(undefined)
    expect(config.undeclaredSections()).to.have.length(1)
  })
})
