import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import type { ControlRequest } from '../../../test/gates/control-server.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { CopiedPlugins } from '../../../test/support/copied-plugins.ts'
import { startServer, type RunningServer } from '../../../test/support/server.ts'
import { alarmOf, WebhookReceiver, type AlarmBody } from '../../../test/support/webhook-receiver.ts'

const RELOADS = 20

/** A plugin that raises an alarm each 8 ms, until it is asked for their number. */
const ticker = (name: string) => `
  import { definePlugin, Type } from 'sluice/sdk'
  export default definePlugin({
    name: '${name}', version: '1.0.0', notices: ['alarm'],
    setup(ctx) {
      let count = 0
      const stop = ctx.setInterval(() => {
        ctx.hooks.notify('alarm', { name: 'tick', plugin: '${name}', description: 'tick ' + count })
        count += 1
      }, 8)
      ctx.operations.add({
        method: 'POST', path: 'api/stop', summary: 'Stop', answer: Type.Object({ count: Type.Integer() }),
        handle: () => (stop(), { count }),
      })
    },
  })`

/** A web service, and the alarms that it has taken. */
class Service {
  readonly taken: AlarmBody[] = []
  readonly receiver: WebhookReceiver

  private constructor(receiver: WebhookReceiver) {
    this.receiver = receiver
  }

  /** @param answer the status of each answer, and its delay */
  static async start(answer: (requests: number) => { status?: number; afterMs?: number } = () => ({})) {
    const service = new Service(await WebhookReceiver.start())
    service.receiver.rule = async (request: ControlRequest) => {
      const { status = 200, afterMs = 0 } = answer(service.receiver.requests.length)
      if (afterMs > 0) await delay(afterMs)
      if (status === 200) service.taken.push(alarmOf(request))
      return { status }
    }
    return service
  }

  get texts(): string[] {
    return this.taken.map(({ alarmDesc }) => alarmDesc)
  }
}

const ticks = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `tick ${from + index}`)

describe('alarm while events come', () => {
  let plugins: CopiedPlugins
  let services: Record<'fast' | 'slow' | 'flaky', Service>
  let server: RunningServer

  beforeEach(async () => {
    plugins = await CopiedPlugins.of('alarm')
    services = {
      fast: await Service.start(),
      slow: await Service.start(() => ({ afterMs: 10 })),
      flaky: await Service.start((requests) => ({ status: requests % 3 === 0 ? 503 : 200 })),
    }
    const names = Object.keys(services)
    for (const name of names) await writeFile(path.join(plugins.folder, `${name}.ts`), ticker(name))
    const hook = ({ receiver }: Service) => ({
      hook: { default: { url: receiver.url, savealarm: true, retryinterval: '10ms' } },
    })
    const sections = Object.entries(services).map(([name, service]) => [name, hook(service)])
    const config = JSON.stringify({ global: { armed: true }, ...Object.fromEntries(sections) })
    server = await startServer({ config, pluginFolders: [plugins.folder] })
  })
  afterEach(() => expect(server.problems).to.eql([]))

  /** Stops a ticker. @returns the number of alarms that it has raised */
  async function stop(name: string): Promise<number> {
    const { body } = await server.api(`/${name}/api/stop`, { method: 'POST' })
    return (body.data as { count: number }).count
  }

  /** The rows of a ticker, the oldest first. */
  async function rowsOf(service: Service): Promise<AlarmBody[]> {
    const { body } = await server.api('/api/alarm/list')
    const ids = new Set(service.taken.map(({ id }) => id))
    return (body.data as AlarmBody[]).filter(({ id }) => ids.has(id)).toReversed()
  }

  it(`reloaded ${RELOADS} times tells each service of each event once, in order, and stores it once`, async () => {
    for (let count = 0; count < RELOADS; count++) await plugins.reload(server, 'alarm')
    let total = 0
    for (const [name, service] of Object.entries(services)) {
      const count = await stop(name)
      await waitFor(() => service.taken.length >= count, { what: `${count} events at ${name}` })
      expect(service.texts, name).to.eql(ticks(count))
      total += count
    }
    const list = async () => (await server.api('/api/alarm/list')).body.data as AlarmBody[]
    await waitFor(async () => (await list()).every(({ isSent }) => isSent), { what: 'all rows to say so' })
    const rows = await list()
    expect(rows).to.have.length(total)
    for (const service of Object.values(services)) {
      expect((await rowsOf(service)).map(({ alarmDesc }) => alarmDesc).toSorted()).to.eql(service.texts.toSorted())
    }
    await waitFor(() => server.records.filter(({ msg }) => /^generation \d+ has ended/u.test(msg)).length === RELOADS)
  })

  it('removed and put back has told and stored what it heard before, and hears what comes then', async () => {
    const { slow } = services
    await waitFor(() => slow.taken.length > 10)
    await plugins.remove(server, 'alarm')
    await waitFor(() => server.records.some(({ msg }) => msg.startsWith('generation 1 has ended')))
    const before = slow.taken.length
    expect(slow.texts).to.eql(ticks(before))
    await plugins.putBack(server, 'alarm')
    await waitFor(() => slow.taken.length > before + 10)
    const [first = ''] = slow.texts.slice(before)
    const from = Number(first.split(' ')[1])
    expect(from).to.be.at.least(before)
    expect(slow.texts.slice(before)).to.eql(ticks(slow.taken.length - before, from))
    const rows = await rowsOf(slow)
    expect(rows.map(({ alarmDesc }) => alarmDesc)).to.eql(slow.texts.slice(0, rows.length))
  })
})
