/**
 * 10,000 streams with 100,000 subscribers, without sockets: what a call of the administration's lists costs.
 *
 *     node --conditions=source test/scale/many-sessions.ts
 */
import { OperationRoutes } from 'sluice/sdk/host'
import { addStreamOperations, addSubscriberOperations } from '../../core/admin/streams/stream-operations.ts'
import { addV6Operations } from '../../core/admin/streams/v6-operations.ts'
import { addSummaryOperations } from '../../core/admin/system/summary-operations.ts'
import { createApp } from '../../core/http/testing/ask-operations.ts'
import { MachineUsageSampler } from '../../core/observe/machine-usage.ts'
import { FakeFormat, FakeSink } from '../../core/stream/fixtures/fake-format.ts'
import { closeRigs, RegistryRig, type Source } from '../../core/stream/fixtures/registry-rig.ts'

const STREAMS = 10_000
const SUBSCRIBERS_EACH = 10
const CALLS = 50
const WARM_UPS = 5

const URLS = [
  '/api/stream/list?pageNum=1&pageSize=20',
  `/api/stream/list?pageNum=${STREAMS / 20}&pageSize=20`,
  '/api/stream/info/live/5000',
  '/api/subscribers?pageNum=1&pageSize=20',
  `/api/subscribers?pageNum=${(STREAMS * SUBSCRIBERS_EACH) / 20}&pageSize=20`,
  '/api/subscribers/live/5000',
  '/api/stream/waitlist',
  '/api/summary',
  '/v6/api/streams?page=1&per_page=20',
  '/v6/api/streams?page=10&per_page=1000',
  '/api/stream/list',
  '/api/subscribers',
]

async function fill(rig: RegistryRig): Promise<void> {
  const format = new FakeFormat()
  for (let index = 0; index < STREAMS; index++) {
    const source: Source = await rig.source(`live/${index}`)
    source.publisher.tracksComplete()
    for (let count = 0; count < SUBSCRIBERS_EACH; count++) {
      const subscriber = await rig.subscribe(`live/${index}`)
      subscriber.attach(format, new FakeSink())
    }
    source.write('K1 P2 a3')
  }
}

async function main(): Promise<void> {
  // Nothing is published while the calls are measured.
  const rig = new RegistryRig({ publish: { publishtimeout: '1h' }, subscribe: { stalltimeout: 0 } })
  await fill(rig)
  const app = createApp()
  const operations = new OperationRoutes({ targetOf: () => app })
  const machine = new MachineUsageSampler([process.cwd()])
  const { registry } = rig
  addStreamOperations(operations, registry, () => [])
  addSubscriberOperations(operations, registry)
  addV6Operations(operations, registry)
  addSummaryOperations(operations, {
    publicIp: () => '',
    machine,
    index: registry.index,
    jobs: { pulls: { count: 0 }, pushes: { count: 0 } },
    recordings: () => [],
  })
  console.log(`${registry.index.published.size} streams, ${registry.index.subscribers.size} subscribers; CPU ms a call`)
  for (const url of URLS) {
    const calls = url.includes('?') || !/(?:list|subscribers)$/u.test(url) ? CALLS : WARM_UPS
    for (let count = 0; count < WARM_UPS; count++) await app.fastify.inject(url)
    const before = process.cpuUsage()
    let bytes = 0
    for (let count = 0; count < calls; count++) bytes = (await app.fastify.inject(url)).rawPayload.length
    const { user, system } = process.cpuUsage(before)
    console.log(`${((user + system) / 1000 / calls).toFixed(2).padStart(8)}  ${url}  (${bytes} bytes)`)
  }
  await app.close()
  closeRigs()
  process.exit()
}

await main()
