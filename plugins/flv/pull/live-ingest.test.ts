import { expect } from 'chai'
import { FLV_TAG_TYPE, serializeAmf0 } from 'sluice/sdk/media'
import { createFakeHost, sessionInit } from 'sluice/sdk/testing'
import { LiveIngest } from './live-ingest.ts'

describe('LiveIngest', () => {
  it('reads no metadata that is too large, counts it, and reads what comes after it', async () => {
    const host = await createFakeHost({ name: 'flv', version: '1.0.0', setup: () => {} })
    const publisher = await host.streams.publish(sessionInit('live/a'))
    const ingest = new LiveIngest(publisher, () => {})
    for (const encoder of ['x'.repeat(200_000), 'small', 'small', 'another']) {
      const body = serializeAmf0(['onMetaData', new Map([['encoder', encoder]])])
      ingest.receive({ type: FLV_TAG_TYPE.script, timestampMs: 0, body })
    }
    expect(publisher.metadata).to.eql({ encoder: 'another' })
    expect(ingest.droppedData).to.equal(1)
    await host.dispose()
  })
})
