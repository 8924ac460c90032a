import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { createFakeHost, SCRIPTED_VIDEO, sessionInit } from 'sluice/sdk/testing'
import { createTestServer } from 'sluice/testing'
import { keep } from '../peers/lifetime.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { Scrape } from '../support/scrape.ts'
import plugin from './tally.ts'

describe('a plugin with metrics', () => {
  it('shows them at /metrics', async () => {
    const server = await createTestServer(plugin)
    keep({ close: () => server.stop() })
    const scrape = await Scrape.of(`${server.origin}/metrics`)
    expect(scrape.types.get('sluice_tally_tracks_total')).to.equal('counter')
    expect(scrape.types.get('sluice_tally_first_track_seconds')).to.equal('histogram')
    expect(scrape.value('sluice_tally_silent_streams')).to.equal(0)
  })

  it('is tested on the fake host', async () => {
    const host = await createFakeHost(plugin)
    keep({ close: () => host.dispose() })
    const publisher = await host.ctx.streams.publish(sessionInit('live/one'))
    expect(host.metrics.value('silent_streams')).to.equal(1)
    publisher.addTrack(SCRIPTED_VIDEO)
    expect(host.metrics.value('silent_streams')).to.equal(0)
    expect(host.metrics.value('tracks_total', { codec: 'h264' })).to.equal(1)
    expect(host.metrics.value('first_track_seconds')).to.equal(1)
  })

  it('is the plugin of docs/plugins/metrics.md', async () => {
    const block = (await blocksOf('docs/plugins/metrics.md', 'ts'))("name: 'tally'")
    expect(block).to.equal(await readFile(new URL('tally.ts', import.meta.url), 'utf8'))
  })
})
