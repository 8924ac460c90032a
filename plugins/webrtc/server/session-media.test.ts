import { expect } from 'chai'
import { createFakeHost, sessionInit } from 'sluice/sdk/testing'
import { publishedMedia } from './session-media.ts'
import type { MediaIngest } from './session-parts.ts'

describe('the media of a publisher by WebRTC', () => {
  it('may be paused while its peer consents: consent and reports are signs that it is there for 30 seconds more', async () => {
    const host = await createFakeHost({ name: 'webrtc', version: '1.0.0', setup: () => {} })
    const publisher = await host.streams.publish(sessionInit('live/a'), { connecting: true })
    const ingest: MediaIngest = {
      isComplete: false,
      counts: {},
      rtp: () => {},
      rtcp: () => {},
      requestKeyframe: () => {},
      close: () => {},
    }
    const media = publishedMedia(ingest, publisher)
    expect(publisher.isConnecting).to.equal(true)
    media.connected()
    expect(publisher.isConnecting).to.equal(false)
    media.alive()
    media.rtcp(Buffer.alloc(8), 0)
    media.rtp(Buffer.alloc(12), 0)
    expect(publisher.signs).to.eql([30_000, 30_000, 30_000])
    await host.dispose()
  })
})
