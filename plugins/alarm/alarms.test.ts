import { expect } from 'chai'
import type { Webhook } from 'sluice/sdk'
import { createFakeHost, FakePlugins, type FakeHost, type FakeHostOptions } from 'sluice/sdk/testing'
import { keep } from '../../test/peers/lifetime.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import { WebhookReceiver } from '../../test/support/webhook-receiver.ts'
import alarm from './index.ts'

const WEBHOOK: Webhook = {
  url: '',
  method: 'POST',
  headers: {},
  timeoutseconds: 60,
  retrytimes: 2,
  retryinterval: 1,
  interval: 60,
  savealarm: true,
}

type Listed = { readonly alarmName: string; readonly isSent: boolean }

describe('alarms over generations', () => {
  let receiver: WebhookReceiver
  /** The held answers of the receiver; a test resolves each with a status. */
  let answers: PromiseWithResolvers<{ status: number }>[]

  beforeEach(async () => {
    answers = []
    receiver = await WebhookReceiver.start(() => {
      const answer = Promise.withResolvers<{ status: number }>()
      answers.push(answer)
      return answer.promise
    })
  })

  async function start(options: FakeHostOptions = {}) {
    const webhook: Webhook = { ...WEBHOOK, url: receiver.url }
    const host = await createFakeHost(alarm, { global: { armed: true, hook: { default: webhook } }, ...options })
    keep({ close: () => host.dispose() })
    return host
  }
  /** Replaces a running generation by a new one. */
  async function replace(former: FakeHost<unknown>) {
    const next = await start({ kept: former.kept, store: former.store })
    former.drain('replaced')
    return next
  }
  const raise = (host: FakeHost<unknown>, name: string) =>
    host.hooks.notify('alarm', { name, description: `it was ${name}`, plugin: 'demo' })
  const asked = (count: number) => waitFor(() => answers.length === count, { what: `${count} requests` })
  const listed = async (host: FakeHost<unknown>) => {
    const { data } = (await (await fetch(`${host.http.origin}/api/alarm/list`)).json()) as { data: Listed[] }
    return data.map(({ alarmName, isSent }) => `${alarmName} ${isSent}`).toReversed()
  }

  it('end what is under way in the old one, which lasts as long, and tell the rest in the new one, in order', async () => {
    const former = await start()
    for (const name of ['a', 'b']) await raise(former, name)
    await asked(1)
    const next = await replace(former)
    await raise(next, 'c')
    expect(former.holds).to.equal(1)
    answers[0]?.resolve({ status: 200 })
    await asked(2)
    answers[1]?.resolve({ status: 200 })
    await asked(3)
    answers[2]?.resolve({ status: 200 })
    await waitFor(async () => (await listed(next)).join() === 'a true,b true,c true')
    expect(receiver.names).to.eql(['a', 'b', 'c'])
    await waitFor(() => former.holds === 0)
    expect([...former.log.problems, ...next.log.problems]).to.eql([])
  })

  it('try again in the new one, as often as is left', async () => {
    const former = await start()
    await raise(former, 'a')
    await asked(1)
    const next = await replace(former)
    answers[0]?.resolve({ status: 500 })
    await asked(2)
    const last = await replace(next)
    answers[1]?.resolve({ status: 500 })
    await asked(3)
    answers[2]?.resolve({ status: 500 })
    await waitFor(() => last.log.problems.length > 0)
    expect(last.log.problems[0]).to.include({ msg: 'a web service was not told', event: 'a' })
    expect(receiver.names).to.eql(['a', 'a', 'a'])
  })

  it('store in the new one what the old one could not, while the database was away, once', async () => {
    const former = await start()
    const { store } = former
    if (store === undefined) throw new Error('it has no tables')
    store.isAway = true
    for (const name of ['a', 'b']) await raise(former, name)
    await asked(1)
    const next = await replace(former)
    await raise(next, 'c')
    answers[0]?.resolve({ status: 200 })
    await waitFor(() => former.holds === 0)
    await former.dispose()
    store.isAway = false
    await waitFor(async () => (await listed(next)).length === 3)
    expect((await listed(next)).toSorted()).to.eql(['a true', 'b false', 'c false'])
    expect([...former.log.problems, ...next.log.problems]).to.eql([])
  })

  it('say how much is left when the last one ends', async () => {
    const former = await start()
    const host = await replace(former)
    if (host.store !== undefined) host.store.isAway = true
    for (const name of ['a', 'b', 'c']) await raise(host, name)
    await asked(1)
    await former.dispose()
    await host.dispose()
    expect(former.log.problems).to.eql([])
    const [untold, unstored, ...others] = host.log.problems
    expect(untold).to.include({ msg: 'the server stops before all web services were told', unsent: 2 })
    expect(unstored).to.include({ msg: 'events were not stored: the database takes none', dropped: 3 })
    expect(others).to.eql([])
  })
})

describe('the webhooks', () => {
  it('are listed for operators: those of global, and those that a plugin has otherwise, without secrets', async () => {
    const plugins = new FakePlugins()
    const secret: Webhook = { ...WEBHOOK, url: 'http://user:pa55@host/?key=s3cret', headers: { a: 's3cret' } }
    const hook = { default: WEBHOOK, publish_start: secret }
    plugins.set([
      { name: 'x', config: { hook: { ...hook, publish_end: { ...secret, method: 'PUT', savealarm: false } } } },
      { name: 'y', config: { hook } },
    ])
    const host = await createFakeHost(alarm, { plugins, global: { armed: true, hook } })
    keep({ close: () => host.dispose() })
    const { data } = (await (await fetch(`${host.http.origin}/api/alarm/webhooks`)).json()) as { data: unknown }
    const url = 'http://******@host/?key=******'
    expect(data).to.eql({
      armed: true,
      webhooks: [
        { section: 'global', event: 'default', url: '', method: 'POST', savealarm: true },
        { section: 'global', event: 'publish_start', url, method: 'POST', savealarm: true },
        { section: 'x', event: 'publish_end', url, method: 'PUT', savealarm: false },
      ],
    })
  })
})
