import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { configErrorOf, configOf, RELAY } from './fixtures/temp-config.ts'
import { configReport } from './report.ts'

const DEFAULTS = {
  url: '',
  method: 'POST',
  headers: {},
  timeoutseconds: 5,
  retrytimes: 3,
  retryinterval: 1e3,
  interval: 60,
  savealarm: false,
}

describe('hook', () => {
  it('has no webhooks unless they are written', async () => {
    const config = await configOf('')
    expect(config.global.hook).to.eql({})
    expect(config.declare(RELAY).values.hook).to.eql({})
  })

  it('takes a text for the address of a webhook, from the environment, too', async () => {
    const config = await configOf('global: {hook: {default: "http://a/"}}', {
      SLUICE_GLOBAL_HOOK_PUBLISH_START: 'http://b/',
    })
    expect(config.global.hook).to.eql({
      default: { ...DEFAULTS, url: 'http://a/' },
      publish_start: { ...DEFAULTS, url: 'http://b/' },
    })
  })

  it('has a key for each event that the docs name', async () => {
    const page = await readFile(new URL('../../docs/alarms.md', import.meta.url), 'utf8')
    const rows = /## Events\n.*?(?=\n## )/su.exec(page)?.[0].matchAll(/^\| (`.*?) \|/gmu) ?? []
    const events = [...rows].flatMap(([, names = '']) => names.match(/\w+/gu) ?? [])
    expect(events).to.include.members(['publish_start', 'storage_back', 'disk_full'])
    const config = await configOf(`global: {hook: {${events.map((event) => `${event}: "http://a/"`).join(', ')}}}`)
    expect(Object.keys(config.global.hook)).to.have.members(events)
  })

  it('is inherited event by event, each as a whole', async () => {
    const config = await configOf(`
global:
  hook:
    default: http://a/
    publish_start: {url: 'http://b/', savealarm: true}
    Publish-End: {url: 'http://c/', timeoutseconds: 9}
relay:
  hook:
    publish_start: {retryinterval: 2s}
`)
    const { values, sources } = config.declare(RELAY)
    expect(values.hook).to.eql({
      default: { ...DEFAULTS, url: 'http://a/' },
      publish_start: { ...DEFAULTS, retryinterval: 2000 },
      publish_end: { ...DEFAULTS, url: 'http://c/', timeoutseconds: 9 },
    })
    expect([sources.get('hook.publish_start'), sources.get('hook.publish_end')]).to.eql(['file', 'global'])
  })

  it('shows neither what addresses hold nor what headers say', async () => {
    const config = await configOf(
      'global: {hook: {default: {url: "https://user:hush-1@host/x?token=hush-2", headers: {Authorization: hush-3}}}}',
    )
    config.declare(RELAY)
    const printed = [
      config.userConfig('global'),
      JSON.stringify(config.describe('relay')),
      await configReport(config, [RELAY], { all: true }),
    ].join('\n')
    expect(printed).to.include('https://******@host/x?token=******').and.to.include('Authorization')
    expect(printed).not.to.include('hush')
  })

  for (const [written, message] of [
    ['publish_strat: "http://a/"', /did you mean 'publish_start'/u],
    ['default: {url: "http://a/", retries: 1}', /unknown key/u],
    ['default: {url: "ftp://hush/"}', /hook\.default\.url: expected an address/u],
    ['default: {url: "http://a/", headers: {"a b": c}}', /headers\.a b: expected/u],
    ['default: {url: "http://a/", headers: {a: "hush\\r\\nb: c"}}', /headers\.a: expected/u],
    ['default: {url: "http://a/", interval: 0}', /interval: expected an integer from 1/u],
    ['default: {url: "http://a/", method: DELETE}', /method: expected 'POST'/u],
  ] as const) {
    it(`refuses ${written.split(',').at(-1)?.trim()}`, async () => {
      const error = await configErrorOf(() => configOf(`global: {hook: {${written}}}`))
      expect(error.message).to.match(message).and.not.to.include('hush')
    })
  }
})
