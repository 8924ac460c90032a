import { expect } from 'chai'
import { AccessUnit, StreamNotFound } from 'sluice/sdk'
import { createFakeHost, SCRIPTED_VIDEO, sessionInit, type FakeHost } from 'sluice/sdk/testing'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import snap from '../index.ts'
import { newestKeyframe } from './newest-keyframe.ts'

describe('the newest keyframe', () => {
  async function start() {
    const host: FakeHost<unknown> = await createFakeHost(snap, { config: { subscribe: { waittimeout: '100ms' } } })
    keep({ close: () => host.dispose() })
    const publisher = await host.streams.publish(sessionInit('live/a'))
    const track = publisher.addTrack(SCRIPTED_VIDEO)
    const write = (dts: number, keyframe: boolean) =>
      publisher.write(AccessUnit.fromNalus(track, dts, dts, keyframe, [Buffer.from([keyframe ? 0x65 : 0x41, 1])]))
    const subscriber = await host.streams.subscribe(sessionInit('live/a'))
    return { host, publisher, write, subscriber }
  }

  it('is waited for, and the session is over then', async () => {
    const { host, write, subscriber } = await start()
    const asked = newestKeyframe(subscriber, 60_000)
    write(0, true)
    expect((await asked).keyframe).to.equal(true)
    await waitFor(() => host.streams.subscribers().length === 0)
  })

  it('is not waited for without end', async () => {
    const { host, write, subscriber } = await start()
    const asked = newestKeyframe(subscriber, 20).catch((error: unknown) => error)
    write(0, false)
    const error = await asked
    expect(error).to.be.instanceOf(StreamNotFound).and.have.property('message', 'the stream has no keyframe')
    expect(host.streams.subscribers()).to.eql([])
  })

  it('does not come from a stream that has ended', async () => {
    const { subscriber } = await start()
    const asked = newestKeyframe(subscriber, 60_000).catch((error: unknown) => error)
    subscriber.close('kicked')
    expect(await asked).to.have.property('message', 'the stream has ended before a keyframe came')
  })
})
