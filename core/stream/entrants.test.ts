import { expect } from 'chai'
import { PacedPlayer, type AccessUnit, type Recording, type Track } from 'sluice/sdk'
import { FakeFormat, FakeSink } from './fixtures/fake-format.ts'
import { audioTrack, unitOf } from './fixtures/media.ts'
import { turn } from './fixtures/muxer-rig.ts'
import { RegistryRig, closeRigs } from './fixtures/registry-rig.ts'

/** A recording of sound that is over after a few units. */
class ShortRecording implements Recording {
  readonly tracks: readonly Track[] = [audioTrack()]
  readonly durationMs = 1000
  readonly units: AccessUnit[]

  constructor(count: number) {
    this.units = Array.from({ length: count }, (_, index) => unitOf(this.tracks[0]!, index * 20, `a${index}`))
  }

  next(): AccessUnit | undefined {
    return this.units.shift()
  }

  seek(): void {}
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await turn()
}

describe('A recording that is soon over', () => {
  afterEach(closeRigs)

  /** Plays for one who waits for the stream, and attaches some turns after it was let in. */
  async function played(count: number, speed: number, attach: (rig: RegistryRig) => Promise<FakeSink>) {
    const rig = new RegistryRig({ publish: { speed } })
    const attaching = attach(rig)
    await turn()
    const publisher = await rig.publish('vod/a')
    await new PacedPlayer(new ShortRecording(count)).play(publisher)
    publisher.close('the recording is over')
    return (await attaching).text
  }

  async function late(rig: RegistryRig): Promise<FakeSink> {
    const subscriber = await rig.subscribe('vod/a')
    await turns(10)
    expect(subscriber.tracks).to.have.length(1)
    const sink = new FakeSink()
    subscriber.attach(new FakeFormat(), sink)
    return sink
  }

  it('is played whole at once to a subscriber that waited for it', async () => {
    const all = Array.from({ length: 50 }, (_, index) => `a${index}`).join(' ')
    expect(await played(50, 0, late)).to.equal(`S(a1) ${all}`)
  })

  it('of one unit is there for a subscriber that waited for it', async () => {
    expect(await played(1, 1, late)).to.equal('S(a1) a0')
  })

  it('ends though a subscriber that was let in takes nothing, or leaves', async () => {
    const idle = async (rig: RegistryRig) => {
      await rig.subscribe('vod/a')
      return new FakeSink()
    }
    expect(await played(1, 1, idle)).to.equal('')
    const leaving = async (rig: RegistryRig) => {
      const subscriber = await rig.subscribe('vod/a')
      subscriber.close('left')
      return new FakeSink()
    }
    expect(await played(1, 0, leaving)).to.equal('')
  })
})
