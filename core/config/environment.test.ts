import { expect } from 'chai'
import { definePlugin, Type } from 'sluice/sdk'
import { configOf, RELAY } from './fixtures/temp-config.ts'

describe('config from the environment', () => {
  const cases: { variable: string; text: string; section: string; key: string; value: unknown }[] = [
    { variable: 'SLUICE_RELAY_CHUNKSIZE', text: '2048', section: 'relay', key: 'chunksize', value: 2048 },
    { variable: 'SLUICE_RELAY_CHUNK_SIZE', text: '2048', section: 'relay', key: 'chunksize', value: 2048 },
    { variable: 'SLUICE_RELAY_LINGER', text: '4', section: 'relay', key: 'linger', value: '4s' },
    {
      variable: 'SLUICE_RELAY_TCP_LISTENADDR',
      text: '[::1]:80',
      section: 'relay',
      key: 'tcp.listenaddr',
      value: '[::1]:80',
    },
    { variable: 'SLUICE_RELAY_TCP_NODELAY', text: 'FALSE', section: 'relay', key: 'tcp.nodelay', value: false },
    { variable: 'SLUICE_RELAY_SUBSCRIBE_SUBMODE', text: '3', section: 'relay', key: 'subscribe.submode', value: 3 },
    { variable: 'SLUICE_RELAY_SECRETARGNAME', text: '1', section: 'relay', key: 'secretargname', value: '1' },
    {
      variable: 'SLUICE_RELAY_NICKNAMES',
      text: 'a, 5,true',
      section: 'relay',
      key: 'nicknames',
      value: ['a', '5', 'true'],
    },
    { variable: 'SLUICE_RELAY_NICKNAMES', text: '["a,b"]', section: 'relay', key: 'nicknames', value: ['a,b'] },
    { variable: 'SLUICE_RELAY_NICKNAMES', text: '', section: 'relay', key: 'nicknames', value: [] },
    {
      variable: 'SLUICE_RELAY_PULL',
      text: '{a: {URL: b}}',
      section: 'relay',
      key: 'pull',
      value: { a: { url: 'b', retryinterval: '5s', credential: '' } },
    },
    { variable: 'SLUICE_GLOBAL_HTTP_LISTENADDR', text: ':81', section: 'global', key: 'http.listenaddr', value: ':81' },
    {
      variable: 'SLUICE_GLOBAL_SIGNED_POLICY_TOKEN_QUERY',
      text: 't',
      section: 'global',
      key: 'signed_policy.token_query',
      value: 't',
    },
    {
      variable: 'SLUICE_GLOBAL_ADMISSION_WEBHOOK_TIMEOUT_MS',
      text: '5',
      section: 'global',
      key: 'admission_webhook.timeout_ms',
      value: 5,
    },
    {
      variable: 'SLUICE_GLOBAL_PLUGINS_DIR',
      text: '/a,/b',
      section: 'global',
      key: 'plugins_dir',
      value: ['/a', '/b'],
    },
  ]
  for (const { variable, text, section, key, value } of cases) {
    it(`sets ${section}.${key} by ${variable}=${text}`, async () => {
      const config = await configOf('', { [variable]: text })
      config.declare(RELAY)
      const entry = config.describe(section).find((candidate) => candidate.key === key)
      expect(entry?.source).to.equal('env')
      expect(entry?.value).to.deep.equal(value)
      expect(config.warnings().filter((warning) => warning.includes('SLUICE_'))).to.deep.equal([])
    })
  }

  it('takes a secret as it is, whatever it looks like', async () => {
    for (const text of ['true', '007', '[abc', '*x', ' a ', 'ä#b']) {
      const config = await configOf('', { SLUICE_RELAY_PASSPHRASE: text })
      expect(config.declare(RELAY).values.passphrase).to.equal(text)
    }
  })

  it('tells plugins apart whose names begin alike', async () => {
    const pro = definePlugin({
      name: 'relay-pro',
      version: '1.0.0',
      config: Type.Object({ size: Type.Integer({ default: 1 }) }),
      setup() {},
    })
    const config = await configOf('', { SLUICE_RELAY_PRO_SIZE: '2', SLUICE_RELAY_PRO_CHUNKSIZE: '3' })
    config.declare(RELAY)
    expect(config.declare(pro).values.size).to.equal(2)
    expect(config.warnings()).to.have.length(1)
  })

  const warnings: [variable: string, warnings: string[]][] = [
    ['SLUICE_RELAY_CHUNKSIEZ', ['SLUICE_RELAY_CHUNKSIEZ: unknown variable, did you mean SLUICE_RELAY_CHUNKSIZE?']],
    ['SLUICE_RELAY_ENABEL', ['SLUICE_RELAY_ENABEL: unknown variable, did you mean SLUICE_RELAY_ENABLE?']],
    ['SLUICE_GLOBAL_ZZZZZZ', ['SLUICE_GLOBAL_ZZZZZZ: unknown variable']],
    ['SLUICE_LOG', []],
    ['SLUICE_RELAYED_CHUNKSIZE', []],
    ['SLUICE_', []],
    ['RELAY_CHUNKSIEZ', []],
  ]
  for (const [variable, expected] of warnings) {
    it(`warns of ${variable} ${expected.length} times`, async () => {
      const config = await configOf('', { [variable]: '5' })
      config.declare(RELAY)
      expect(config.warnings()).to.deep.equal(expected)
    })
  }
})
