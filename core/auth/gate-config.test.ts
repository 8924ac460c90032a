import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { AdmissionWebhookConfig, InheritedConfig, PublishConfig, SignedPolicyConfig, SubscribeConfig } from 'sluice/sdk'
import { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'

const PLUGIN = { name: 'rtmp' }

describe('config of the gates', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  async function load(text: string): Promise<Config> {
    const file = path.join(folder, 'config.yaml')
    await writeFile(file, text)
    return Config.load({ file, env: {} })
  }

  /** What is wrong with a file. */
  async function problem(text: string): Promise<string> {
    return new ConfigError((await load(text)).problems).message
  }

  it('is shown in groups of these titles, with secrets as passwords', () => {
    expect(SignedPolicyConfig).to.deep.include({ title: 'Signed Policy' })
    expect(AdmissionWebhookConfig).to.deep.include({ title: 'Admission Webhook' })
    const secrets = [
      SignedPolicyConfig.properties.secret,
      AdmissionWebhookConfig.properties.secret,
      PublishConfig.properties.key,
      SubscribeConfig.properties.key,
    ]
    for (const secret of secrets)
      expect(secret).to.deep.include({ type: 'string', format: 'password', writeOnly: true })
  })

  it('has the keys and defaults of the spec', async () => {
    const { global } = await load('')
    expect(global.signed_policy).to.eql({
      enable: false,
      secret: '',
      token_query: 'policy',
      expire_query: 'expire',
      algorithm: 'hmac-sha256',
      actions: ['publish', 'play'],
      protocols: [],
    })
    expect(global.admission_webhook).to.eql({
      enable: false,
      url: '',
      secret: '',
      timeout_ms: 3000,
      fail_policy: 'closed',
      notify_closing: false,
      actions: ['publish', 'play'],
      protocols: [],
    })
    const { enableauth, secretargname, expireargname, auth_timeout } = global
    expect({ enableauth, secretargname, expireargname, auth_timeout }).to.eql({
      enableauth: false,
      secretargname: 'secret',
      expireargname: 'expire',
      auth_timeout: 5000,
    })
    expect([global.publish.key, global.subscribe.key]).to.eql(['', ''])
    expect(InheritedConfig.properties).to.include.all.keys('enableauth', 'signed_policy', 'admission_webhook')
  })

  it('is inherited from global, key by key, and overridden by a plugin', async () => {
    const config = await load(`
global:
  enable_auth: true
  secretArgName: s
  publish: { key: global-publish, expire-arg-name: e }
  subscribe: { key: global-subscribe }
  Signed-Policy: { enable: true, secret: global-policy, protocols: rtmp }
rtmp:
  publish: { key: rtmp-publish }
  signedpolicy: { actions: [play] }
flv: { enable_auth: false, subscribe: { key: '' } }
`)
    const rtmp = config.declare(PLUGIN).values
    expect(rtmp.enableauth).to.equal(true)
    expect(rtmp.secretargname).to.equal('s')
    expect(rtmp.publish).to.deep.include({ key: 'rtmp-publish', expireargname: 'e' })
    expect(rtmp.subscribe.key).to.equal('global-subscribe')
    expect(rtmp.signed_policy).to.deep.include({
      enable: true,
      secret: 'global-policy',
      actions: ['play'],
      protocols: ['rtmp'],
    })
    const flv = config.declare({ name: 'flv' }).values
    expect(flv.enableauth).to.equal(false)
    expect([flv.publish.key, flv.subscribe.key]).to.eql(['global-publish', ''])
  })

  const problems: readonly (readonly [string, RegExp])[] = [
    [
      'signed_policy: { algorithm: hmac-sha512 }',
      /config\.yaml:\d+:\d+: global\.signed_policy\.algorithm: .*hmac-sha256/u,
    ],
    ['signed_policy: { algorithm: "" }', /signed_policy\.algorithm/u],
    ['signed_policy: { actions: [watch] }', /signed_policy\.actions/u],
    ['signed_policy: { token_query: "" }', /signed_policy\.token_query/u],
    ['admission_webhook: { fail_policy: ajar }', /admission_webhook\.fail_policy/u],
    ['admission_webhook: { timeout_ms: 0 }', /admission_webhook\.timeout_ms/u],
    ['admission_webhook: { url: "ftp://host/" }', /admission_webhook\.url/u],
    ['admission_webhook: { url: "http://host:99999/" }', /admission_webhook\.url/u],
    ['admission_webhook: { url: "http://host:0/" }', /admission_webhook\.url/u],
    ['admission_webhook: { url: "http://user:word@" }', /admission_webhook\.url/u],
    ['admission_webhook: { url: "http://%zz@host/" }', /admission_webhook\.url/u],
    ['admission_webhook: { url: "http://[::1/" }', /admission_webhook\.url/u],
    ['admission_webhook: { url: "http:host/" }', /admission_webhook\.url/u],
    ['admission_webhook: { url: "http://host/a b" }', /admission_webhook\.url/u],
    ['admission_webhook: { secrets: x }', /unknown key, did you mean 'secret'/u],
  ]
  for (const [text, message] of problems) {
    it(`refuses ${text}`, async () => expect(await problem(`global: { ${text} }`)).to.match(message))
  }

  for (const url of [
    'HTTP://host/',
    'https://user:w%20rd@host:8443/a?b=c',
    'http://[::1]:9000',
    'http://127.0.0.1/x',
  ]) {
    it(`takes the control server ${url}`, async () => {
      const { global } = await load(`global: { admission_webhook: { url: '${url}' } }`)
      expect(global.admission_webhook.url).to.equal(url)
    })
  }

  it('shows no secret to a person, and quotes none in an error', async () => {
    const config = await load(`
global:
  publish: { key: s3cret-1 }
  subscribe: { key: s3cret-2 }
  signed_policy: { secret: s3cret-3 }
  admission_webhook: { secret: s3cret-4, url: 'http://localhost/' }
rtmp: { publish: { key: s3cret-5 } }
`)
    const { userConfig } = config.declare(PLUGIN)
    const shown = [userConfig, config.userConfig('global'), config.describe('global'), config.describe('rtmp')]
    expect(JSON.stringify(shown)).not.to.include('s3cret')
    expect(userConfig).to.include('******')
    expect(await problem('global: { signed_policy: { secret: [s3cret-6] } }')).to.match(/signed_policy\.secret/u)
    expect(await problem('global: { signed_policy: { secret: [s3cret-6] } }')).not.to.include('s3cret')
  })
})
