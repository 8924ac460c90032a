import { expect } from 'chai'
import { waitFor } from '../../test/peers/wait-for.ts'
import { alarmOf, WebhookReceiver } from '../../test/support/webhook-receiver.ts'
import type { Webhook } from 'sluice/sdk'
import { LogRecords } from 'sluice/sdk/testing'
import { createEvent } from './alarm-event.ts'
import { MAX_WAITING, type KeptQueue } from './webhook-queue.ts'
import { WebhookSender } from './webhook-sender.ts'

const WEBHOOK: Webhook = {
  url: '',
  method: 'POST',
  headers: {},
  timeoutseconds: 60,
  retrytimes: 3,
  retryinterval: 1,
  interval: 60,
  savealarm: false,
}
const LATER = { status: 503 }

function rig(kept = new Map<string, KeptQueue>()) {
  const logs = new LogRecords('alarm')
  const sent: string[] = []
  /** Returns the current webhook of the events of each plugin. */
  const current = new Map<string, () => Webhook | undefined>()
  const sender = new WebhookSender({
    log: logs.logger,
    kept,
    webhookOf: ({ plugin = '' }) => current.get(plugin)?.(),
    row: async () => {},
    sent: ({ name }) => void sent.push(name),
  })
  const tell = (webhook: Webhook, name: string, webhookThen: () => Webhook | undefined = () => webhook) => {
    const plugin = `of event ${current.size}`
    current.set(plugin, webhookThen)
    const event = createEvent('host (192.0.2.1)', name, { description: 'it happened' })
    sender.tell(webhook, { event, hook: { name, plugin }, isStored: false })
  }
  return { logs, sent, sender, tell, current, kept }
}

describe('WebhookSender', () => {
  let receiver: WebhookReceiver
  let webhook: Webhook
  let current: ReturnType<typeof rig>

  beforeEach(async () => {
    receiver = await WebhookReceiver.start()
    webhook = { ...WEBHOOK, url: receiver.url }
    current = rig()
  })
  afterEach(async () => void (await current.sender.close(0)))

  it('tells a service one event after another, by the method and with the headers of the webhook', async () => {
    const { tell, sent } = current
    const put: Webhook = { ...webhook, method: 'PUT', headers: { 'X-Room': '7' } }
    for (const name of ['a', 'b', 'c']) tell(put, name)
    await waitFor(() => sent.length === 3)
    expect(receiver.names).to.eql(['a', 'b', 'c'])
    const [first] = receiver.requests
    expect(first).to.deep.include({ method: 'PUT' })
    expect(first?.headers).to.include({ 'x-room': '7', 'content-type': 'application/json' })
    const { createdAt, updatedAt, ...rest } = receiver.alarms[0]!
    expect(rest).to.eql({
      id: 0,
      serverInfo: 'host (192.0.2.1)',
      streamName: '',
      streamPath: '',
      alarmName: 'a',
      alarmDesc: 'it happened',
      alarmType: 0,
      isSent: false,
      filePath: '',
    })
    expect([Date.parse(createdAt), Date.parse(updatedAt)].every(Number.isFinite)).to.equal(true)
  })

  it('tries again until the service has taken it', async () => {
    const { tell, sent, logs } = current
    receiver.rule = () => (receiver.requests.length <= 2 ? { status: 500 } : {})
    tell(webhook, 'a')
    await waitFor(() => sent.length === 1)
    expect(receiver.names).to.eql(['a', 'a', 'a'])
    expect(logs.records).to.eql([])
  })

  it('gives up after its last try, and goes on with the next event', async () => {
    const { tell, sent } = current
    receiver.rule = (request) => (alarmOf(request).alarmName === 'bad' ? { status: 500 } : {})
    tell({ ...webhook, retrytimes: 2 }, 'bad')
    tell({ ...webhook, retrytimes: 2 }, 'good')
    await waitFor(() => sent.length === 1)
    expect(receiver.names).to.eql(['bad', 'bad', 'bad', 'good'])
    expect(sent).to.eql(['good'])
  })

  for (const [what, answer, reason] of [
    ['hangs', 'never', 'no answer in 50 ms'],
    ['hangs up', 'cut', 'socket hang up'],
    ['redirects', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'it answered with status 307'],
    ['fails', LATER, 'it answered with status 503'],
  ] as const) {
    it(`says why a service that ${what} was not told, once, and nothing that is secret`, async () => {
      const { tell, logs, sender } = current
      receiver.rule = () => answer
      const url = `${receiver.url.replace('//', '//someone:hush-1@')}?key=hush-2`
      const failing = { ...webhook, url, headers: { Authorization: 'hush-3' }, retrytimes: 0, timeoutseconds: 0.05 }
      for (const name of ['a', 'b', 'c']) tell(failing, name)
      await sender.close(60_000)
      expect(logs.records).to.have.length(1)
      expect(logs.records[0]).to.include({ msg: 'a web service was not told', event: 'a', reason })
      expect(JSON.stringify(logs.records)).to.include('******').and.not.include('hush-')
    })
  }

  it('says why a service that is not there was not told', async () => {
    const { tell, logs } = current
    await receiver.close()
    tell({ ...webhook, retrytimes: 1 }, 'a')
    await waitFor(() => logs.records.length === 1)
    expect(String(Reflect.get(logs.records[0]!, 'reason'))).to.include('ECONNREFUSED')
  })

  it('keeps the newest events for a service that takes none, and counts what it drops', async () => {
    const { tell, sender, logs } = current
    const hold = Promise.withResolvers<object>()
    receiver.rule = () => hold.promise
    for (let count = 0; count < 10_000; count++) tell(webhook, `event ${count}`)
    expect(sender.waiting).to.equal(MAX_WAITING)
    await waitFor(() => receiver.requests.length === 1)
    expect(logs.records, 'at most once a minute').to.have.length(1)
    expect(logs.records[0]).to.include({ dropped: 1 })
    hold.resolve({})
    await waitFor(() => receiver.requests.length > 2)
    expect(receiver.names.slice(0, 2)).to.eql(['event 0', `event ${10_000 - MAX_WAITING}`])
  })

  it('does not have one service wait for another', async () => {
    const { tell, sent } = current
    const other = await WebhookReceiver.start(() => 'never')
    tell({ ...webhook, url: other.url }, 'never')
    tell(webhook, 'a')
    await waitFor(() => sent.length === 1)
    expect(sent).to.eql(['a'])
  })

  it('does not tell what is wanted no more by then', async () => {
    const { tell, sender, sent } = current
    const elsewhere = await WebhookReceiver.start()
    let wanted: Webhook | undefined = webhook
    const hold = Promise.withResolvers<object>()
    receiver.rule = () => hold.promise
    for (const name of ['a', 'b']) tell(webhook, name, () => wanted)
    await waitFor(() => receiver.requests.length === 1)
    wanted = { ...webhook, url: elsewhere.url }
    hold.resolve(LATER)
    await waitFor(() => sender.waiting === 0)
    tell(webhook, 'c', () => undefined)
    tell(wanted, 'd')
    await waitFor(() => sent.length === 1)
    expect([receiver.names, elsewhere.names]).to.eql([['a'], ['d']])
  })

  it('forgets the services that it has nothing for', async () => {
    const { tell, sent, sender } = current
    for (let count = 0; count < 250; count++) tell({ ...webhook, headers: { 'X-Count': String(count) } }, 'a')
    await waitFor(() => sent.length === 250)
    tell({ ...webhook, headers: { 'X-Count': 'last' } }, 'a')
    expect(sender.targets).to.equal(1)
  })

  it('tells what is left when it is closed, as long as it may take', async () => {
    const { tell, sender, logs, sent } = current
    for (const name of ['a', 'b', 'c']) tell(webhook, name)
    await sender.close(60_000)
    expect(sent).to.eql(['a', 'b', 'c'])
    tell(webhook, 'late')
    const other = rig()
    receiver.rule = () => 'never'
    for (const name of ['d', 'e']) other.tell(webhook, name)
    await waitFor(() => receiver.names.includes('d'))
    expect(await other.sender.close(0)).to.equal(1)
    expect(logs.records).to.eql([])
    expect(receiver.names).to.not.include('late')
  })
})
