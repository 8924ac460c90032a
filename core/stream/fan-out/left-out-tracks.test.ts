import { expect } from 'chai'
import { audioTrack } from '../fixtures/media.ts'
import { turn } from '../fixtures/muxer-rig.ts'
import { FakeFormat, FakeSink } from '../fixtures/fake-format.ts'
import { RegistryRig, closeRigs } from '../fixtures/registry-rig.ts'

/** Has no place for sound. */
class SilentFormat extends FakeFormat {
  carries = ({ kind }: { readonly kind: string }) => kind === 'video'
}

describe('A track that a format can not carry', () => {
  afterEach(closeRigs)

  it('is named in the log, once, and not to the muxer', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const format = new SilentFormat()
    const sinks = [new FakeSink(), new FakeSink()]
    for (const sink of sinks) (await rig.subscribe('live/a')).attach(format, sink)
    await turn()
    source.write('K1 P2 a3')
    source.publisher.addTrack(audioTrack({ layer: 'other' }))
    await turn()
    source.audio = source.publisher.configureTrack(source.audio, { ...source.audio.config, sampleRate: 8000 })
    source.write('a4 P5')
    await turn()
    expect(sinks.map(({ text }) => text)).to.eql(['S(v1) K1 P2 P5', 'S(v1) K1 P2 P5'])
    const said = rig.lines.filter(({ msg }) => msg.includes('left out'))
    expect(said).to.have.length(1)
    expect(said[0]).to.include({ format: 'fake', track: 'aac 48000 Hz stereo' })
  })
})
