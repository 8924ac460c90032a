/**
 * What a scrape of `/metrics` costs with many streams and subscribers, and to add up once a second what they were sent:
 * `node --conditions=source test/bench/scrape.ts [STREAMS] [SUBSCRIBERS of each]`, unless given 10,000 and 10.
 */
import type { Sink } from 'sluice/sdk'
import { StreamMetrics } from '../../core/admin/metrics/stream-metrics.ts'
import { writeMetrics } from '../../core/observe/metrics/exposition.ts'
import { ServerMetrics } from '../../core/observe/metrics/server-metrics.ts'
import { FakeFormat } from '../../core/stream/fixtures/fake-format.ts'
import { recordingLog } from '../../core/stream/fixtures/recording-log.ts'
import { closeRigs, RegistryRig } from '../../core/stream/fixtures/registry-rig.ts'
import { gatherTraffic } from '../../core/stream/stream-pulse.ts'
import { median } from './statistics.ts'

const ROUNDS = 21
const SHOWN = [0, 1000, 2500]
const SINK: Sink = { write: () => undefined, queuedBytes: 0 }

const [streams = 10_000, subscribers = 10] = process.argv.slice(2).map(Number)
const rig = new RegistryRig({ publish: { publishtimeout: '1h' } })
const format = new FakeFormat()
for (let index = 0; index < streams; index++) {
  const path = `live/${index}`
  const source = await rig.source(path)
  for (let count = 0; count < subscribers; count++) (await rig.subscribe(path)).attach(format, SINK)
  source.write('V1k')
}
const metrics = new ServerMetrics(recordingLog().log)
const ofStreams = new StreamMetrics(metrics.own, rig.registry)
for (const shown of SHOWN) {
  const scrape = () => {
    ofStreams.refresh(shown)
    return writeMetrics(metrics.table.snapshot(), 'text')
  }
  const series = scrape()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#')).length
  console.log(`scrape, ${shown} streams shown: ${milliseconds(scrape)} ms, ${series} series`)
}
console.log(`adding up what was sent: ${milliseconds(() => gatherTraffic(rig.registry.list()))} ms`)
closeRigs()
process.exit()

/** Of the processor, which others may share. */
function milliseconds(work: () => unknown): string {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(start)
    return (user + system) / 1000
  })
  return median(times).toFixed(1)
}
