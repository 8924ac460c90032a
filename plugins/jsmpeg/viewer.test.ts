import { expect } from 'chai'
import { definePlugin, type Sink, type Subscriber } from 'sluice/sdk'
import { createFakeHost, ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { keep } from '../../test/peers/lifetime.ts'
import { Viewer } from './viewer.ts'

const plugin = definePlugin({ name: 'viewers', version: '1.0.0', setup: () => {} })
const MESSAGE = Buffer.alloc(1000)

/** A sink that keeps all bytes queued until a test takes some. */
class SlowSink implements Sink {
  queuedBytes = 0
  writes = 0

  write(bytes: Buffer): void {
    this.writes += 1
    this.queuedBytes += bytes.length
  }
}

describe('Viewer', () => {
  let subscriber: Subscriber
  let sink: SlowSink
  let viewer: Viewer
  let accounted: { bytes: number; dropped: number }
  let reason: string
  beforeEach(async () => {
    const host = await createFakeHost(plugin, { config: { subscribe: { queuesize: '3KB', stalltimeout: '10s' } } })
    keep({ close: () => host.dispose() })
    const publisher = await host.streams.publish(sessionInit('live/a'))
    new ScriptedPublisher(publisher, {}).write(1)
    publisher.tracksComplete()
    subscriber = await host.streams.subscribe(sessionInit('live/a'))
    accounted = { bytes: 0, dropped: 0 }
    subscriber.account = ({ bytes = 0, dropped = 0 }) => {
      accounted = { bytes: accounted.bytes + bytes, dropped: accounted.dropped + dropped }
    }
    reason = ''
    subscriber.onClose(({ code }) => (reason = code))
    sink = new SlowSink()
    viewer = new Viewer(subscriber, sink, 0)
  })

  it('is sent everything as long as it takes it, whatever the size of a message', () => {
    for (const length of [1000, 5000]) {
      viewer.send(Buffer.alloc(length), 0)
      sink.queuedBytes = 0
    }
    expect(accounted).to.eql({ bytes: 6000, dropped: 0 })
  })

  it('is left out when its queue is full, until it has taken all of that', () => {
    for (let count = 0; count < 5; count++) viewer.send(MESSAGE, 0)
    expect([sink.writes, accounted]).to.eql([3, { bytes: 3000, dropped: 2 }])
    sink.queuedBytes = 10
    viewer.send(MESSAGE, 1)
    expect(sink.writes).to.equal(3)
    sink.queuedBytes = 0
    viewer.send(MESSAGE, 2)
    expect([sink.writes, accounted]).to.eql([4, { bytes: 4000, dropped: 3 }])
  })

  it('is ended when it takes nothing for the stall time, and not before', () => {
    viewer.send(MESSAGE, 0)
    viewer.send(MESSAGE, 9999)
    sink.queuedBytes -= 1
    viewer.send(MESSAGE, 15_000)
    viewer.send(MESSAGE, 24_999)
    expect(reason).to.equal('')
    viewer.send(MESSAGE, 25_000)
    expect(reason).to.equal('slow')
  })

  it('is not ended for a time without anything to send', () => {
    viewer.send(MESSAGE, 0)
    sink.queuedBytes = 0
    viewer.send(MESSAGE, 60_000)
    expect(reason).to.equal('')
  })
})
