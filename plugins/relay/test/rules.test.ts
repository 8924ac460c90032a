import { expect } from 'chai'
import type { PullSource, PullWish } from 'sluice/sdk'
import { createFakeHost, FakePlugins, sessionInit, type FakeHostOptions } from 'sluice/sdk/testing'
import { keep } from '../../../test/peers/lifetime.ts'
import relay from '../index.ts'
import { ON_DEMAND_IDLE_MS } from '../rules/pull-rules.ts'

type Rules = Readonly<Record<string, string | Readonly<Record<string, unknown>>>>
type Section = { readonly pull?: Rules; readonly onsub?: Rules; readonly onpub?: Rules }

const RULE = { loop: 0, maxretry: 0, retryinterval: '1s', header: {}, proxy: '', args: {}, testmode: 0 }
const PUSH_RULE = { maxretry: 0, retryinterval: '1s', header: {}, proxy: '' }

/** The rules as the config system writes them out. */
function whole(rules: Rules, blank: object): Readonly<Record<string, unknown>> {
  const entries = Object.entries(rules)
  return Object.fromEntries(
    entries.map(([key, rule]) => [key, { ...blank, ...(typeof rule === 'string' ? { url: rule } : rule) }]),
  )
}

/** A plugin `x` that pulls and pushes, with these rules. */
function plugin({ pull = {}, onsub = {}, onpub = {} }: Section, name = 'x') {
  const config = {
    pull: whole(pull, RULE),
    onsub: { pull: whole(onsub, RULE) },
    onpub: { push: whole(onpub, PUSH_RULE) },
  }
  return { name, provides: [`pull:${name}`, `push:${name}`], config }
}

async function rig(options: FakeHostOptions = {}) {
  const host = await createFakeHost(relay, options)
  keep({ close: () => host.dispose() })
  const { pulls, pushes } = host.jobs
  const going = () => pulls.all.filter(({ ending }) => !ending)
  const sources = () => going().map(({ wish }) => wish.rule.url)
  const targets = () => pushes.list().map(({ wish }) => wish.rule.url)
  const demand = (path: string) => pulls.demand(path, {})
  const publish = async (path: string, type?: 'transform') => {
    const publisher = await host.ctx.streams.publish({ ...sessionInit(path), ...(type && { type }) })
    return publisher
  }
  return { host, pulls, pushes, going, sources, targets, demand, publish }
}

/** A source of another plugin for a path. */
function another(streamPath: string, url: string): PullSource {
  const rule = { ...RULE, retryinterval: 1000, testmode: 0 as const, url }
  const wish: PullWish = { plugin: 'x', streamPath, rule, publish: {}, args: {} }
  return { match: (path) => (path === streamPath ? wish : undefined) }
}

describe('the pull rules', () => {
  it('without expression begin at once and last; those that stay go on, others begin and end', async () => {
    const { host, pulls, sources } = await rig()
    host.plugins.set([plugin({ pull: { a: 'x://a', b: 'x://b' } })])
    expect(sources()).to.eql(['x://a', 'x://b'])
    expect(pulls.get('a')?.wish).to.include({ isLasting: true, origin: 'rule' })
    const first = pulls.get('a')
    host.plugins.set([plugin({ pull: { a: 'x://a', b: 'x://other', c: 'x://c' } })])
    expect(sources()).to.have.members(['x://a', 'x://other', 'x://c'])
    expect(pulls.get('a')).to.equal(first)
    expect(pulls.all.map(({ stopReason }) => stopReason)).to.include('another pull takes the path')
    host.plugins.set([])
    expect(sources()).to.eql([])
    expect(first?.stopReason).to.equal('its rule is gone')
  })

  it('give a path to the first of them', async () => {
    const { host, going } = await rig()
    host.plugins.set([plugin({ pull: { a: 'x://a' } }), plugin({ pull: { a: 'y://a' } }, 'y')])
    expect(going().map(({ wish }) => wish.plugin)).to.eql(['x'])
  })

  it('do not begin again what is over, neither for a subscriber nor after a reload, until they change', async () => {
    const { host, pulls, sources, demand } = await rig()
    const rules = { pull: { a: 'x://a' }, onsub: { '^a$': 'x://demanded' } }
    host.plugins.set([plugin(rules)])
    pulls.get('a')?.stop('it is over')
    host.plugins.set([plugin({ ...rules, onsub: { '^a$': 'x://other' } })])
    expect([demand('a'), sources()]).to.eql([false, []])
    const plugins = new FakePlugins()
    plugins.set([plugin(rules)])
    const next = await rig({ kept: host.kept, plugins })
    expect([next.demand('a'), next.pulls.all]).to.eql([false, []])
    plugins.set([plugin({ pull: { a: 'x://new' } })])
    expect(next.sources()).to.eql(['x://new'])
  })

  it('with an expression are for subscribers: the first that matches, with what it has matched', async () => {
    const { host, pulls, demand } = await rig()
    host.plugins.set([plugin({ onsub: { '^live/(.+)-(.+)$': 'x://h/$2/$1?p=$0$9', '^live/': 'x://h' } })])
    expect([demand('other/a-b'), demand('live/a-b'), demand('live/a-b')]).to.eql([false, true, true])
    expect(pulls.all.map(({ wish }) => wish.rule.url)).to.eql(['x://h/b/a?p=live/a-b$9'])
    const idle = { idletimeout: ON_DEMAND_IDLE_MS, delayclosetimeout: ON_DEMAND_IDLE_MS }
    expect(pulls.all[0]?.wish.publish).to.eql(idle)
    expect(pulls.all[0]?.wish).not.to.have.any.keys('isLasting', 'origin')
  })

  it('let no path out of its place in an address', async () => {
    const { host, pulls, demand } = await rig()
    host.plugins.set([plugin({ onsub: { '^a/(.+)$': 'x://h/$1?p=$1', '^b/(.+)$': 'file/$1' } })])
    for (const path of ['a/%2e%2e/x&y=1@z:é', 'b/%2e/é']) demand(path)
    const escaped = '%252e%252e/x%26y%3D1%40z%3A%C3%A9'
    expect(pulls.all.map(({ wish }) => wish.rule.url)).to.eql([`x://h/${escaped}?p=${escaped}`, 'file/%2e/é'])
  })

  it('with an expression that change are followed by what goes on for subscribers', async () => {
    const { host, sources, demand } = await rig()
    host.plugins.set([plugin({ onsub: { '^live/': 'x://h' } })])
    demand('live/a')
    host.plugins.set([plugin({ onsub: { '^live/': 'x://new' } })])
    expect(sources()).to.eql(['x://new'])
    host.plugins.set([])
    expect(sources()).to.eql([])
  })

  it('are asked after the sources of other plugins, but for paths of rules without expression', async () => {
    const { host, pulls, sources, demand } = await rig()
    pulls.addSource(another('live/a', 'x://another'))
    pulls.addSource(another('fixed', 'x://another'))
    host.plugins.set([plugin({ pull: { fixed: 'x://fixed' }, onsub: { '^live/': 'x://rule' } })])
    for (const path of ['live/a', 'live/b']) demand(path)
    expect(sources()).to.eql(['x://fixed', 'x://another', 'x://rule'])
    pulls.get('fixed')?.stop('it is over')
    expect([demand('fixed'), sources()]).to.eql([false, ['x://another', 'x://rule']])
  })

  it('leave alone what other plugins and operators have begun', async () => {
    const { host, pulls, sources } = await rig()
    host.plugins.set([plugin({ onsub: { '^live/': 'x://rule' } })])
    const remove = pulls.addSource(another('live/b', 'x://another'))
    const [one, other] = [another('live/a', 'x://asked'), another('live/b', 'x://another')].map((source, index) =>
      source.match(['live/a', 'live/b'][index]!),
    )
    pulls.start({ ...one!, origin: 'operator' })
    pulls.start({ ...other!, origin: 'another' })
    host.plugins.set([plugin({ onsub: { '^live/': 'x://new' } })])
    expect(sources()).to.eql(['x://asked', 'x://another'])
    remove()
    expect(sources()).to.eql(['x://asked', 'x://new'])
  })
})

describe('the push rules', () => {
  it('send what is published to the targets of all that match, with the groups filled in', async () => {
    const { host, pushes, targets, publish } = await rig()
    host.plugins.set([plugin({ onpub: { '^live/(.+)$': 'x://a/$1?p=$1', '^live/': 'x://b', '^other': 'x://c' } })])
    await publish('live/x y&z')
    expect(targets()).to.eql(['x://a/x%20y%26z?p=x%20y%26z', 'x://b'])
    expect(pushes.all[0]?.wish.origin).to.equal('rule')
  })

  it('are taken over while streams are live, and leave the pushes of others alone', async () => {
    const { host, pushes, targets, publish } = await rig()
    await publish('live/a')
    pushes.start({ plugin: 'x', streamPath: 'live/a', rule: { ...PUSH_RULE, retryinterval: 0, url: 'x://asked' } })
    host.plugins.set([plugin({ onpub: { '^live/': 'x://a' } })])
    expect(targets()).to.eql(['x://asked', 'x://a'])
    const [, second] = pushes.all
    host.plugins.set([plugin({ onpub: { '^live/': 'x://a', '^live/a': 'x://b' } })])
    expect([targets(), second?.stopReason]).to.eql([['x://asked', 'x://a', 'x://b'], undefined])
    host.plugins.set([plugin({ onpub: { '^live/': { url: 'x://a', header: { key: ['other'] } } } })])
    expect(targets()).to.eql(['x://asked', 'x://a'])
    expect([second?.stopReason, pushes.list()[1]?.wish.rule.header]).to.eql(['its rule is gone', { key: ['other'] }])
    host.plugins.set([])
    expect(targets()).to.eql(['x://asked'])
  })

  it('do not send what was made of another stream for its players', async () => {
    const { host, targets, publish } = await rig()
    host.plugins.set([plugin({ onpub: { '.': 'x://a' } })])
    await publish('live/made', 'transform')
    expect(targets()).to.eql([])
  })

  it('end with the plugin, unless another generation takes over', async () => {
    for (const cause of ['replaced', 'removed'] as const) {
      const { host, targets, publish } = await rig()
      host.plugins.set([plugin({ onpub: { '^live/': 'x://a' } })])
      await publish('live/a')
      host.drain(cause)
      expect(targets()).to.eql(cause === 'replaced' ? ['x://a'] : [])
    }
  })
})

describe('the rules of the config', () => {
  it('are listed for operators without the secrets of their addresses', async () => {
    const { host } = await rig()
    const secret = 'x://user:pa55@host/$1?key=s3cret'
    host.plugins.set([
      plugin({ pull: { 'live/a': secret }, onsub: { '^far/(.+)$': secret }, onpub: { '^live': secret } }),
    ])
    const rulesOf = async (kind: string) => {
      const answer = await fetch(`${host.http.origin}/api/${kind}/rules`)
      return ((await answer.json()) as { data: unknown }).data
    }
    const shown = { plugin: 'x', url: 'x://******@host/$1?key=******' }
    expect(await rulesOf('pull')).to.eql([
      { ...shown, when: 'start', path: 'live/a' },
      { ...shown, when: 'subscribe', path: '^far/(.+)$' },
    ])
    expect(await rulesOf('push')).to.eql([{ ...shown, when: 'publish', path: '^live' }])
  })
})
