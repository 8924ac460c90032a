import { expect } from 'chai'
import { FakeFormat, FakeSink } from '../fixtures/fake-format.ts'
import { unitOf, videoTrack } from '../fixtures/media.ts'
import { GENEROUS, turn } from '../fixtures/muxer-rig.ts'
import { recordingLog } from '../fixtures/recording-log.ts'
import { RegistryRig, closeRigs } from '../fixtures/registry-rig.ts'
import { GopCache } from '../gop-cache.ts'
import type { StreamSubscriber } from '../stream-subscriber.ts'
import { MuxerTable } from './muxer-table.ts'
import { SinkQueue } from './sink-queue.ts'

const HOUR_MS = 3_600_000
const TRACK = videoTrack()

/** A table of a stream while the process is so busy that `auto` gathers for an hour. */
function busyTable(): MuxerTable {
  const { log } = recordingLog()
  const source = () => ({ tracks: [TRACK], metadata: {} })
  return new MuxerTable({ log, mergeWindow: { autoMs: HOUR_MS }, source, cache: new GopCache() })
}

/** A format with a longest window. */
function hastyFormat(): FakeFormat {
  return Object.assign(new FakeFormat(), { maxMergeMs: 1 })
}

async function subscriberOf(writemerge: string): Promise<StreamSubscriber> {
  const rig = new RegistryRig({ subscribe: { writemerge } })
  await rig.source('live/a')
  return (await rig.subscribe('live/a')) as StreamSubscriber
}

describe('MuxerTable', () => {
  afterEach(closeRigs)

  for (const writemerge of ['auto', '1h']) {
    it(`lets a format that must not be late wait no longer than that, where writemerge is ${writemerge}`, async () => {
      const subscriber = await subscriberOf(writemerge)
      const table = busyTable()
      const sinks = [hastyFormat(), new FakeFormat()].map((format) => {
        const sink = new FakeSink()
        const owner = { close: () => undefined, fail: () => undefined }
        const muxer = table.get(format, subscriber)
        muxer.attach(new SinkQueue(sink, GENEROUS, undefined, 0, owner))
        muxer.write(unitOf(TRACK, 0, 'K1', true), 0)
        return sink
      })
      while (sinks[0]?.text === '') await turn()
      expect(sinks.map(({ text }) => text)).to.eql(['S(v1) K1', ''])
      for (const muxer of table.all) muxer.close()
    })
  }

  it('has one muxer for windows that the format makes the same', async () => {
    const table = busyTable()
    const [long, longer, auto] = await Promise.all(['50ms', '100ms', 'auto'].map(subscriberOf))
    const hasty = hastyFormat()
    const free = new FakeFormat()
    expect(table.get(hasty, long!)).to.equal(table.get(hasty, longer!))
    expect(table.get(hasty, long!)).not.to.equal(table.get(hasty, auto!))
    expect(table.get(free, long!)).not.to.equal(table.get(free, longer!))
    expect(table.all).to.have.length(4)
  })
})
