import { expect } from 'chai'
import type { Publisher } from 'sluice/sdk'
import { waitFor } from '../../test/peers/wait-for.ts'
import { initOf, closeRigs, endOf, RegistryRig, Source } from './fixtures/registry-rig.ts'

const PATH = 'live/a'

describe('A publisher that publishes nowhere', () => {
  afterEach(closeRigs)

  /** One that is observed, and what its observer was told. */
  async function publishUnlisted(rig: RegistryRig) {
    const told: string[] = []
    const observer = {
      published: ({ streamPath }: Publisher) => void told.push(`published ${streamPath}`),
      track: ({ kind }: { readonly kind: string }) => void told.push(kind),
    }
    const options = { unlisted: true, observer }
    const publisher = await rig.streams.manager.publish(initOf(PATH, { type: 'pull' }), options)
    return { publisher, told, source: new Source(publisher, 0) }
  }

  it('takes no path, is in no list, and asks and tells nobody', async () => {
    const rig = new RegistryRig()
    const asked: string[] = []
    rig.taps.publish = async (name) => void asked.push(name)
    const { source } = await publishUnlisted(rig)
    source.write('K1 P2 a3')
    expect([rig.registry.list(), rig.registry.get(PATH), rig.notices, asked]).to.eql([[], undefined, [], []])
    const real = await rig.source(PATH)
    const second = await publishUnlisted(rig)
    expect(endOf(real.publisher)).to.eql({})
    expect(second.publisher.streamPath).to.equal(PATH)
  })

  it('is counted, and its observer told of it and its tracks', async () => {
    const { publisher, source, told } = await publishUnlisted(new RegistryRig())
    expect(publisher.writtenBytes).to.equal(0)
    source.write('K1 P2 a3')
    const bytes = publisher.writtenBytes
    expect(bytes).to.be.above(0)
    publisher.removeTrack(source.video)
    expect(publisher.writtenBytes, 'with those of tracks that are gone').to.equal(bytes)
    expect(told).to.eql([`published ${PATH}`, 'video', 'audio'])
  })

  it('ends when no media comes, and with the server', async () => {
    const rig = new RegistryRig({ publish: { publishtimeout: '50ms' } })
    const { publisher } = await publishUnlisted(rig)
    const silent = endOf(publisher)
    await waitFor(() => silent.code === 'timeout')
    const { publisher: other } = await publishUnlisted(rig)
    const end = endOf(other)
    rig.registry.close('the server is stopping')
    expect(end).to.include({ code: 'unloaded' })
  })
})
