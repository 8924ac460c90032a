import { expect } from 'chai'
import { FakeFormat, FakeSink } from './fixtures/fake-format.ts'
import { turn } from './fixtures/muxer-rig.ts'
import { RegistryRig, closeRigs } from './fixtures/registry-rig.ts'

describe('Units that were lost', () => {
  afterEach(closeRigs)

  it('are counted, and video goes on at a keyframe, without what can not be decoded', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const sink = new FakeSink()
    const subscriber = await rig.subscribe('live/a')
    subscriber.attach(new FakeFormat(), sink)
    await turn()
    source.write('K1 a2 P3')
    source.publisher.lost(source.video, 2)
    source.publisher.lost(source.audio, 5)
    source.write('P4 a5 P6 K7 P8 a9')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K1 a2 P3 a5 K7 P8 a9')
    const { publisher } = rig.registry.get('live/a')!
    expect([source.video, source.audio].map((track) => publisher?.meter(track)?.lost)).to.eql([4, 5])
  })
})
