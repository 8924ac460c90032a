import { expect } from 'chai'
import { configErrorOf, configOf, RELAY } from './fixtures/temp-config.ts'
import { configReport } from './report.ts'

const TEXT = `
global:
  publish: {key: hush-1}
  signed_policy: {secret: hush-2}
  admission_webhook: {url: 'http://user:hush-3@host/?token=hush-10', secret: hush-4}
relay:
  passphrase: hush-5
  subscribe: {key: hush-6}
  pull:
    live/a: {url: 'rtmp://user:hush-7@host/a', credential: hush-8}
`

describe('secrets of the config', () => {
  it('appear in no text that is printed', async () => {
    const config = await configOf(TEXT, { SLUICE_RELAY_PUBLISH_KEY: 'hush-9' })
    const { values, userConfig } = config.declare(RELAY)
    expect(values).to.include({ passphrase: 'hush-5' })
    expect(values.publish.key).to.equal('hush-9')
    expect(values.pull['live/a']).to.include({ credential: 'hush-8' })
    const printed = [
      userConfig,
      config.userConfig('global'),
      JSON.stringify(config.describe('relay')),
      JSON.stringify(config.describe('global')),
      await configReport(config, [RELAY], { all: true }),
    ].join('\n')
    expect(printed).not.to.include('hush')
    expect(printed).to.include('******')
  })

  it('are left out of the address of a proxy', async () => {
    const puller = { name: 'puller', provides: ['pull:puller'] }
    const rule = '{url: "x://host/a", proxy: "socks5://user:hush@proxy:1080"}'
    const config = await configOf(`puller: {pull: {live/a: ${rule}}}`)
    const { userConfig } = config.declare(puller)
    const printed = userConfig + JSON.stringify(config.describe('puller'))
    expect(printed).not.to.include('hush')
    expect(printed).to.include('socks5://******@proxy:1080')
  })

  it('are left out of the query of a stream that others are aliases of', async () => {
    const config = await configOf("global: {streamalias: {'^a/(.+)$': 'live/$1?token=hush', ^b$: live/b}}")
    const printed = config.userConfig('global') + JSON.stringify(config.describe('global'))
    expect(printed).to.include('^a/(.+)$: live/$1?******').and.include('^b$: live/b').and.not.include('hush')
    expect(config.global.streamalias).to.include({ '^a/(.+)$': 'live/$1?token=hush' })
  })

  it('are told from no secret at all', async () => {
    const config = await configOf("relay: {passphrase: ''}")
    config.declare(RELAY)
    const entry = config.describe('relay').find(({ key }) => key === 'passphrase')
    expect(entry).to.deep.equal({ key: 'passphrase', value: '', source: 'file', secret: true, differs: false })
  })

  const wrong = [
    'relay: {passphrase: [hush]}',
    'relay: {passphrase: {a: hush}}',
    'relay: {passphrase: hush',
    'relay: {passphrase: *hush}',
    'relay: {passphrase: !hush hush}',
    'relay:\n  passphrase: "\\hush"',
    'relay:\n  passphrase: @hush',
    'relay:\n  passphrase: "a" hush',
    'relay:\n  passphrase: hush: hush',
    'relay:\n  passphrase: |hush\n',
    'relay: {subscribe: hush}',
    'relay: hush',
    'relay: {pull: hush}',
    'relay: {pull: {a: {url: b, credential: [hush]}}}',
    'global: {signed_policy: {secret: {a: hush}}}',
    'global: {admission_webhook: {url: "ftp://host/?token=hush"}}',
  ]
  for (const text of wrong) {
    it(`are in no message about: ${text.replaceAll('\n', ' ')}`, async () => {
      const error = await configErrorOf(async () => (await configOf(text)).declare(RELAY))
      expect(error.message).not.to.include('hush')
    })
  }
})
