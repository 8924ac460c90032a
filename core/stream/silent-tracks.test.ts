import { performance } from 'node:perf_hooks'
import { expect } from 'chai'
import type { Publisher, Track } from 'sluice/sdk'
import { FakeFormat, FakeSink } from './fixtures/fake-format.ts'
import { audioTrack, dataTrack, unitOf, videoTrack } from './fixtures/media.ts'
import { settle } from './fixtures/muxer-rig.ts'
import { closeRigs, RegistryRig } from './fixtures/registry-rig.ts'
import { ARRIVAL_WAIT_MS } from './track-arrivals.ts'

const PATH = 'live/a'
/** Past the wait, whatever the machine does. */
const LATE_MS = Math.max(...Object.values(ARRIVAL_WAIT_MS)) + 1

describe('A track of which nothing comes', () => {
  let rig: RegistryRig
  let publisher: Publisher
  let timeMs: number
  before(() => {
    // The clock stands still, so that nothing comes late on a busy machine.
    performance.now = () => 1000
  })
  after(() => {
    // That of its class is left.
    Reflect.deleteProperty(performance, 'now')
  })
  beforeEach(() => {
    rig = new RegistryRig({ subscribe: { waittimeout: '1h', writemerge: '0s' } })
    timeMs = 0
  })
  afterEach(closeRigs)

  async function publish(...tracks: Parameters<Publisher['addTrack']>[0][]): Promise<Track[]> {
    publisher = await rig.publish(PATH)
    const added = tracks.map((track) => publisher.addTrack(track))
    publisher.tracksComplete()
    return added
  }

  /** `K…` is a keyframe, `a…` sound. */
  function write(track: Track, label: string): void {
    publisher.write(unitOf(track, (timeMs += 10), label, !label.startsWith('P')))
  }

  /** A viewer who may wait; `text` is what it got. */
  async function view(query = '') {
    const sink = new FakeSink()
    const ready = rig.subscribe(PATH, { query }).then((subscriber) => subscriber.attach(new FakeFormat(), sink))
    await settle()
    return { ready, sink }
  }

  const warnings = () => rig.messages.filter((text) => text.startsWith('nothing comes of tracks'))

  for (const { name, silent, heard, label } of [
    { name: 'sound', silent: audioTrack(), heard: videoTrack(), label: 'K' },
    { name: 'pictures', silent: videoTrack(), heard: audioTrack(), label: 'a' },
    { name: 'a layer', silent: videoTrack({ record: 'v2', layer: '1' }), heard: videoTrack(), label: 'K' },
    { name: 'a main track', silent: videoTrack({ record: 'v2' }), heard: videoTrack({ layer: '1' }), label: 'K' },
    { name: 'a second language', silent: audioTrack({ record: 'a2', layer: 'en' }), heard: audioTrack(), label: 'a' },
  ]) {
    it(`is not told of to viewers: ${name}`, async () => {
      const waited = await view()
      const [, track] = await publish(silent, heard)
      await settle()
      write(track!, `${label}1`)
      await settle()
      const entering = await view()
      rig.pulse(0)
      expect([waited.sink.text, entering.sink.text], 'while the other is awaited').to.eql(['', ''])
      rig.pulse(LATE_MS)
      await settle()
      const told = `S(${heard.config.record.toString()}) ${label}1`
      const late = await view()
      expect([waited, entering, late].map(({ sink }) => sink.text)).to.eql([told, told, told])
      expect(rig.registry.get(PATH)!.info().tracks).to.eql([track])
      expect(warnings()).to.have.length(1)
      rig.pulse(2 * LATE_MS)
      expect(warnings()).to.have.length(1)
    })
  }

  it('is named to protocols that must know of it from the beginning, as far as the viewer wants it', async () => {
    const [silent, track] = await publish(audioTrack(), videoTrack())
    write(track!, 'K1')
    rig.pulse(LATE_MS)
    const [viewer, deaf] = [await rig.subscribe(PATH), await rig.subscribe(PATH, { query: 'subaudio=false' })]
    expect([viewer.silentTracks, deaf.silentTracks]).to.eql([[silent], []])
    write(silent!, 'a1')
    expect([viewer.silentTracks, viewer.tracks.length]).to.eql([[], 2])
  })

  it('is told of as soon as it begins', async () => {
    const [video, audio] = await publish(videoTrack(), audioTrack())
    write(video!, 'K1')
    rig.pulse(LATE_MS)
    const before = await view()
    write(audio!, 'a2')
    await settle()
    const after = await view()
    expect(before.sink.text).to.equal('S(v1) K1 C(a1) a2')
    expect(after.sink.text).to.equal('S(v1,a1) K1 a2')
    expect(rig.registry.get(PATH)!.tracks).to.eql([video, audio])
  })

  it('is told of as it is configured by then, from its keyframe on', async () => {
    const [video, audio] = await publish(videoTrack(), audioTrack())
    write(audio!, 'a1')
    rig.pulse(LATE_MS)
    const next = publisher.configureTrack(video!, videoTrack({ record: 'v2' }).config)
    write(next, 'P2')
    write(audio!, 'a3')
    const before = await view()
    write(next, 'K4')
    const after = await view()
    expect(before.sink.text).to.equal('S(a1) a3 C(v2) K4')
    expect(after.sink.text).to.equal('S(v2,a1) K4')
  })

  it('is not given up once something came of it, though it can not be decoded yet', async () => {
    const [video, audio] = await publish(videoTrack(), audioTrack())
    write(audio!, 'a1')
    write(video!, 'P2')
    rig.pulse(LATE_MS)
    const viewer = await view()
    write(video!, 'K3')
    await settle()
    expect(viewer.sink.text).to.equal('S(v1,a1) K3')
    expect(warnings()).to.eql([])
  })

  it('is waited for by those who want all', async () => {
    const [video, audio] = await publish(videoTrack(), audioTrack())
    write(video!, 'K1')
    rig.pulse(LATE_MS)
    const viewer = await view('waittrack=all')
    expect(viewer.sink.text).to.equal('')
    write(audio!, 'a2')
    await viewer.ready
    await settle()
    expect(viewer.sink.text).to.equal('S(v1,a1) K1 a2')
  })

  it('has longer to come when it is of pictures, the first of which is large', async () => {
    const [, audio] = await publish(videoTrack(), audioTrack())
    write(audio!, 'a1')
    rig.pulse(ARRIVAL_WAIT_MS.audio)
    expect(warnings()).to.eql([])
    rig.pulse(ARRIVAL_WAIT_MS.video)
    expect(warnings()).to.have.length(1)
  })

  it('has its time from when it is declared', async () => {
    const [video] = await publish(videoTrack())
    write(video!, 'K1')
    rig.pulse(LATE_MS)
    publisher.addTrack(audioTrack())
    rig.pulse(0)
    expect(warnings()).to.eql([])
    const entering = await view()
    expect(entering.sink.text).to.equal('')
    rig.pulse(LATE_MS)
    await entering.ready
    await settle()
    expect(entering.sink.text).to.equal('S(v1) K1')
  })

  it('is awaited for as long as nothing comes of the others', async () => {
    const [video, audio] = await publish(videoTrack(), audioTrack())
    rig.pulse(LATE_MS)
    const viewer = await view()
    write(video!, 'K1')
    write(audio!, 'a2')
    await settle()
    expect(viewer.sink.text).to.equal('S(v1,a1) K1 a2')
  })

  it('is awaited while the source is paused, for which nobody waits', async () => {
    const waited = await view()
    const [video] = await publish(videoTrack(), audioTrack())
    await settle()
    write(video!, 'K1')
    publisher.setPaused(true)
    rig.pulse(LATE_MS)
    await settle()
    expect(waited.sink.text).to.equal('S(v1,a1) K1')
    publisher.setPaused(false)
    rig.pulse(0)
    expect(warnings()).to.eql([])
    rig.pulse(LATE_MS)
    expect(warnings()).to.have.length(1)
  })

  it('may be one of data, for which no player waits', async () => {
    const [video, data] = await publish(videoTrack(), dataTrack())
    write(video!, 'K1')
    rig.pulse(LATE_MS)
    expect(rig.registry.get(PATH)!.tracks).to.eql([video, data])
  })

  it('is taken from those who read units, too', async () => {
    const [video, audio] = await publish(videoTrack(), audioTrack())
    const subscriber = await rig.subscribe(PATH)
    const got: string[] = []
    subscriber.read({
      track: ({ kind }) => void got.push(`+${kind}`),
      trackRemoved: ({ kind }) => void got.push(`-${kind}`),
      unit: ({ data }) => void got.push(data.toString()),
    })
    write(video!, 'K1')
    rig.pulse(LATE_MS)
    write(audio!, 'a2')
    expect(got).to.eql(['+video', '+audio', 'K1', '-audio', '+audio', 'a2'])
  })

  it('may end, and nobody waits for it any more', async () => {
    const [video, audio] = await publish(videoTrack(), audioTrack())
    write(video!, 'K1')
    const entering = await view()
    publisher.removeTrack(audio!)
    await settle()
    expect(entering.sink.text).to.equal('S(v1) K1')
    rig.pulse(LATE_MS)
    expect(warnings()).to.eql([])
  })
})
