import { expect } from 'chai'
import { CLIENT_LEFT, type StreamInfo } from 'sluice/sdk'
import { createFakeHost, sessionInit, type FakeHost } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import demo from '../index.ts'

const OTHERS_STREAM: StreamInfo = {
  path: 'live/demo',
  state: 4,
  subscriberCount: 0,
  tracks: [],
  metadata: {},
  startTime: new Date(0),
  pluginName: 'rtmp',
  type: 'server',
  personal: false,
}

describe('demo', () => {
  let host: FakeHost<unknown> | undefined

  afterEach(async () => {
    await host?.dispose()
    host = undefined
  })

  const running = (path: string) => host?.streams.publishers.find((one) => one.streamPath === path && !one.closeReason)

  it('publishes as the server itself, and stops when it is unloaded', async () => {
    host = await createFakeHost(demo)
    const publisher = await waitFor(() => running('live/demo'))
    expect(host.streams.requests[0]).to.include({ type: 'vod', protocol: 'demo' })
    await waitFor(() => publisher.units.filter(({ track }) => track.kind === 'video').length > 10)
    expect(publisher.units[0]).to.include({ keyframe: true, dts: 0 })
    await host.dispose()
    expect(publisher.closeReason).to.be.a('string')
    expect(host.hooks.count('unpublished')).to.equal(0)
  })

  it('leaves its path when another generation takes over', async () => {
    host = await createFakeHost(demo)
    const publisher = await waitFor(() => running('live/demo'))
    host.drain()
    expect(publisher.closeReason).to.equal('the demo was stopped')
  })

  it('moves when its path is changed', async () => {
    host = await createFakeHost(demo, { config: { streampath: 'a/b' } })
    const first = await waitFor(() => running('a/b'))
    host.configure({ streampath: 'c/d' })
    expect(first.closeReason).to.equal('the demo was stopped')
    await waitFor(() => running('c/d'))
  })

  it('leaves a path alone that is taken, and takes it when it is free', async () => {
    // The path is taken before the plugin starts.
    host = await createFakeHost({
      ...demo,
      async setup(ctx) {
        await ctx.streams.publish(sessionInit('live/demo'))
        await demo.setup(ctx)
      },
    })
    const [taker] = host.streams.publishers
    await waitFor(() => host?.log.records.some(({ msg }) => msg === 'the demo waits for its path to be free'))
    expect(taker?.closeReason).to.equal(undefined)
    taker?.close('done')
    const publisher = await waitFor(() => running('live/demo'))
    expect(publisher.request.type).to.equal('vod')
  })

  it('stays away when it is stopped, until another publisher has come and gone', async () => {
    host = await createFakeHost(demo)
    const first = await waitFor(() => running('live/demo'))
    first.close('stop by user')
    const other = await host.streams.publish(sessionInit('live/demo'))
    expect(host.streams.publishers).to.have.length(2)
    other.close('done')
    await waitFor(() => running('live/demo'))
    expect(host.streams.publishers).to.have.length(3)
  })

  it('is quiet when nothing can be published any more', async () => {
    host = await createFakeHost(demo)
    await waitFor(() => running('live/demo'))
    const { streams, ctx } = host
    ctx.hooks.on('publish', () => {
      throw new Error('not now')
    })
    running('live/demo')?.close('stop by user')
    await host.hooks.notify('unpublished', OTHERS_STREAM, CLIENT_LEFT)
    await waitFor(() => host?.log.records.some(({ msg }) => msg === 'the demo waits for its path to be free'))
    expect(streams.publishers).to.have.length(1)
    expect(host.log.problems).to.eql([])
  })
})
