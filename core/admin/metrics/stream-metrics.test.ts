import { expect } from 'chai'
import { writeMetrics } from '../../observe/metrics/exposition.ts'
import { ServerMetrics } from '../../observe/metrics/server-metrics.ts'
import { recordingLog } from '../../stream/fixtures/recording-log.ts'
import { closeRigs, RegistryRig } from '../../stream/fixtures/registry-rig.ts'
import { Scrape } from '../../../test/support/scrape.ts'
import { gatherTraffic } from '../../stream/stream-pulse.ts'
import { StreamMetrics } from './stream-metrics.ts'

const STREAMS = 10_000
const SHOWN = 100

describe('the metrics of streams', () => {
  afterEach(closeRigs)

  function start(rig: RegistryRig) {
    const metrics = new ServerMetrics(recordingLog().log)
    const streams = new StreamMetrics(metrics.own, rig.registry)
    return (limit: number) => {
      streams.refresh(limit)
      return new Scrape(writeMetrics(metrics.table.snapshot(), 'text'))
    }
  }

  it('have series for the streams that most subscribe to, and totals of all, however many there are', async () => {
    const rig = new RegistryRig()
    const scrape = start(rig)
    for (let i = 0; i < STREAMS; i++) await rig.source(`live/${i}`)
    for (let i = 0; i < SHOWN; i++) await rig.subscribe(`live/${STREAMS - 1 - i}`)
    const metrics = scrape(SHOWN)
    expect(metrics.value('sluice_streams')).to.equal(STREAMS)
    expect(metrics.value('sluice_shown_streams')).to.equal(SHOWN)
    expect(metrics.value('sluice_subscribers')).to.equal(SHOWN)
    expect(metrics.samples.get('sluice_stream_subscribers')).to.have.length(SHOWN)
    expect(metrics.value('sluice_stream_subscribers', { stream: `live/${STREAMS - SHOWN}` })).to.equal(1)
    // Five families of a stream, three of each of its two tracks, and few others.
    expect(metrics.size).to.be.below(SHOWN * 11 + 20)
    expect(scrape(0).size).to.be.below(20)
  })

  it('keep what those were sent who have left or went to another stream', async () => {
    const rig = new RegistryRig()
    const scrape = start(rig)
    await rig.source('live/one')
    await rig.source('live/other')
    const [leaving, moving] = [await rig.subscribe('live/one'), await rig.subscribe('live/one')]
    leaving.account({ bytes: 100, dropped: 2 })
    moving.account({ bytes: 10 })
    leaving.close()
    rig.registry.send(rig.registry.subscribers('live/one'), 'live/other')
    moving.account({ bytes: 1 })
    gatherTraffic(rig.registry.list())
    const metrics = scrape(10)
    expect(metrics.value('sluice_stream_sent_bytes_total', { stream: 'live/one' })).to.equal(110)
    expect(metrics.value('sluice_stream_dropped_units_total', { stream: 'live/one' })).to.equal(2)
    expect(metrics.value('sluice_stream_sent_bytes_total', { stream: 'live/other' })).to.equal(1)
  })
})
