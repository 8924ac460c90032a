import { expect } from 'chai'
import type { AccessUnit, AudioCodec, Publisher, Subscriber } from 'sluice/sdk'
import { waitFor } from '../../test/peers/wait-for.ts'
import { audioTrack, unitOf } from './fixtures/media.ts'
import { closeRigs, RegistryRig, type Source } from './fixtures/registry-rig.ts'

const ORIGIN = 'live/a'
const FITTED = 'live/a~opus'

describe('streams that are fitted to a player', () => {
  afterEach(closeRigs)

  function rigWith(adapt: (rig: RegistryRig) => Promise<unknown>): { rig: RegistryRig; asked: () => number } {
    const rig = new RegistryRig()
    let asked = 0
    rig.taps.adapt = async () => {
      asked += 1
      await adapt(rig)
      return FITTED
    }
    return { rig, asked: () => asked }
  }

  /** A stream of Opus alone. */
  async function opus(rig: RegistryRig): Promise<Publisher> {
    const publisher = await rig.publish(FITTED, { type: 'transform' })
    publisher.addTrack({ ...audioTrack(), codec: 'opus' })
    publisher.tracksComplete()
    return publisher
  }

  function playing(rig: RegistryRig, audio: readonly AudioCodec[], path = ORIGIN): Promise<Subscriber> {
    return rig.subscribe(path, { accepts: { audio } })
  }

  function codecs({ tracks }: Subscriber): string[] {
    return tracks.map(({ codec }) => codec)
  }

  async function origin(rig: RegistryRig): Promise<Source> {
    const source = await rig.source(ORIGIN)
    source.publisher.tracksComplete()
    return source
  }

  it('are what it gets from the first, by the path that it asked for, and one for all', async () => {
    let fitted: Publisher | undefined
    const { rig, asked } = rigWith(async (made) => (fitted ??= await opus(made)))
    await origin(rig)
    const players = [await playing(rig, ['opus', 'pcma']), await playing(rig, ['opus'])]
    expect(players.map(codecs)).to.eql([['opus'], ['opus']])
    expect(players.map(({ streamPath, sourcePath }) => [streamPath, sourcePath])).to.eql([
      [ORIGIN, FITTED],
      [ORIGIN, FITTED],
    ])
    expect(asked()).to.equal(2)
    expect(rig.registry.list().map(({ path }) => path)).to.have.members([ORIGIN, FITTED])
  })

  it('are not asked for where the stream fits, or by those who take all', async () => {
    const { rig, asked } = rigWith(opus)
    await origin(rig)
    expect(codecs(await playing(rig, ['aac']))).to.eql(['h264', 'aac'])
    expect(codecs(await rig.subscribe(ORIGIN))).to.eql(['h264', 'aac'])
    expect(asked()).to.equal(0)
  })

  it('are not fitted again', async () => {
    const { rig, asked } = rigWith(async (made) => made.registry.get(FITTED) ?? (await opus(made)))
    await origin(rig)
    await playing(rig, ['opus'])
    const direct = await playing(rig, ['g722'], FITTED)
    expect([direct.sourcePath, asked()]).to.eql([FITTED, 1])
  })

  it('are the stream itself where no hook makes one', async () => {
    const { rig } = rigWith(async () => {})
    await origin(rig)
    const player = await playing(rig, ['opus'])
    expect([player.sourcePath, codecs(player)]).to.eql([ORIGIN, ['h264', 'aac']])
  })

  it('are asked for anew when one ends while its origin goes on', async () => {
    const { rig, asked } = rigWith(opus)
    const source = await origin(rig)
    const player = await playing(rig, ['opus'])
    const units: AccessUnit[] = []
    player.read({ unit: (unit) => void units.push(unit) })
    rig.registry.get(FITTED)?.publisher?.close('ffmpeg is gone')
    expect(player.sourcePath).to.equal(ORIGIN)
    await waitFor(() => asked() === 2 && rig.registry.get(FITTED)?.tracks.length === 1)
    source.write('K1')
    const again = rig.registry.get(FITTED)!
    again.publisher?.write(unitOf(again.tracks[0]!, 0, 'a1'))
    await waitFor(() => units.at(-1)?.track.codec === 'opus')
    expect(player.sourcePath).to.equal(FITTED)
  })

  it('are left when the origin comes again and has what fits', async () => {
    const { rig } = rigWith(opus)
    const source = await origin(rig)
    const player = await playing(rig, ['opus'])
    const units: AccessUnit[] = []
    player.read({ unit: (unit) => void units.push(unit) })
    source.publisher.close('over')
    rig.registry.get(FITTED)?.publisher?.close('its origin has ended')
    expect(player.sourcePath).to.equal(ORIGIN)
    const fit = await rig.publish(ORIGIN)
    const track = fit.addTrack({ ...audioTrack(), codec: 'opus' })
    fit.write(unitOf(track, 0, 'a1'))
    expect([player.sourcePath, units.map(({ data }) => data.toString())]).to.eql([ORIGIN, ['a1']])
  })

  it('are what a player gets that is moved to a stream that does not fit', async () => {
    const { rig, asked } = rigWith(opus)
    const other = await rig.publish('live/b')
    other.addTrack({ ...audioTrack(), codec: 'opus' })
    other.tracksComplete()
    const player = await playing(rig, ['opus'], 'live/b')
    player.read({ unit() {} })
    await origin(rig)
    rig.registry.move([player.id], ORIGIN)
    await waitFor(() => rig.registry.get(FITTED)?.tracks.length === 1)
    await waitFor(() => {
      const { publisher, tracks } = rig.registry.get(FITTED)!
      publisher?.write(unitOf(tracks[0]!, 0, 'a1'))
      return player.sourcePath === FITTED
    })
    expect(asked()).to.equal(1)
  })
})
