import { expect } from 'chai'
import { audioMedia, IngestRig, videoMedia } from '../../fixtures/ingest-rig.ts'
import { samplePicture } from '../../fixtures/sample-video.ts'
import type { ScriptedSource } from '../../fixtures/scripted-source.ts'
import { LAYER_PAUSE_MS } from './simulcast-layer.ts'

const FRAME_MS = 40
const WIDTHS = { q: 160, h: 320, f: 640 } as const
type Rid = keyof typeof WIDTHS
/** As Chromium sends them. */
const RIDS: readonly Rid[] = ['q', 'h', 'f']

/** A browser with three layers, which sends keyframes where it is asked for them. */
function createBrowser(rids: readonly Rid[] = RIDS, fields: Parameters<typeof videoMedia>[1] = {}) {
  const media = videoMedia('VP8', { rids, ...fields })
  const rig = new IngestRig({ medias: [media], backLink: { delayMs: 20 } })
  const sources = new Map<Rid, ScriptedSource>()
  for (const rid of rids) sources.set(rid, rig.source({ media, rid, ssrc: WIDTHS[rid], rtxSsrc: WIDTHS[rid] + 1 }))
  let frame = 0
  const send = (durationMs: number, sending: readonly Rid[] = rids): void => {
    for (let atMs = 0; atMs < durationMs; atMs += FRAME_MS) {
      for (const rid of sending) {
        const source = sources.get(rid)!
        source.write(samplePicture('vp8', frame, source.isKeyframeWanted, 20, WIDTHS[rid]), frame * FRAME_MS * 90)
      }
      frame += 1
      rig.clock.advance(FRAME_MS)
    }
  }
  const events = (): string[] => rig.sink.events.splice(0)
  const main = () => rig.sink.tracks.find(({ layer }) => layer === undefined)
  return { rig, sources, send, events, main }
}

describe('Simulcast of WebRTC', () => {
  for (const rids of [RIDS, RIDS.toReversed()]) {
    it(`has layers as tracks, of which the largest is the main one (${rids.join(', ')})`, () => {
      const { rig, send, main } = createBrowser(rids)
      send(1000)
      expect(rig.sink.tracks.map(({ label, layer }) => `${label} ${layer}`)).to.have.members([
        'q q',
        'h h',
        'f undefined',
      ])
      expect(main()).to.deep.include({ kind: 'video', label: 'f' })
      const sent = rig.sink.units.length
      send(1000)
      expect(rig.sink.units.length - sent).to.equal(75)
      expect(rig.sink.strayUnits).to.equal(0)
    })
  }

  it('is complete with its last layer, or a second after the first picture', () => {
    const together = createBrowser()
    together.send(FRAME_MS, ['q'])
    expect(together.rig.ingest.isComplete).to.equal(false)
    together.send(5 * FRAME_MS)
    expect(together.rig.ingest.isComplete).to.equal(true)
    const short = createBrowser()
    short.send(1000 - FRAME_MS, ['q', 'h'])
    expect(short.rig.ingest.isComplete).to.equal(false)
    short.send(2 * FRAME_MS, ['q', 'h'])
    expect(short.rig.ingest.isComplete).to.equal(true)
  })

  it('is not waited for behind more medias than are received', () => {
    const others = Array.from({ length: 16 }, (_, index) => audioMedia('PCMU', { index, mid: `a${index}` }))
    const rig = new IngestRig({ medias: [...others, videoMedia('VP8', { rids: RIDS, index: 16, mid: 'v' })] })
    for (const [index, media] of others.entries()) {
      expect(rig.ingest.isComplete).to.equal(false)
      rig.source({ media, ssrc: 100 + index }).sendPayload(Buffer.alloc(160), 0)
    }
    rig.clock.advance(1000)
    expect(rig.ingest.isComplete).to.equal(true)
  })

  it('has the next one take the place of the largest that pauses, at a keyframe, until it is back for a while', () => {
    const { rig, send, events, main } = createBrowser()
    send(3000)
    events()
    send(LAYER_PAUSE_MS - 2 * FRAME_MS, ['q', 'h'])
    expect(events()).to.eql([])
    send(500, ['q', 'h'])
    expect(events()).to.eql(['- video f main', '- video h layer h', '+ video h main'])
    expect(rig.sink.units.findLast(({ track }) => track.label === 'h')!.track).to.equal(main())
    expect(rig.sink.units.find(({ track }) => track === main())!.keyframe).to.equal(true)
    send(1000)
    expect(events()).to.eql(['+ video f layer f'])
    while (main()?.label !== 'f') send(FRAME_MS)
    expect(events()).to.eql(['- video h main', '- video f layer f', '+ video f main'])
    // The former one's viewers don't wait until it is missed.
    send(4 * FRAME_MS)
    expect(events()).to.eql(['+ video h layer h'])
    expect(rig.sink.units.find(({ track }) => track === main())!.keyframe).to.equal(true)
    expect(rig.sink.strayUnits).to.equal(0)
  })

  it('changes nothing where all pause, or a smaller one does', () => {
    const { rig, send, events } = createBrowser()
    send(3000)
    events()
    rig.clock.advance(10_000)
    send(1000)
    send(5000, ['h', 'f'])
    send(1000)
    expect(events()).to.eql([])
  })

  it('knows layers by their SSRCs once they were named, and mends each of them', () => {
    const { rig, send, sources } = createBrowser()
    rig.link.traits = { loss: 0.05, delayMs: 10 }
    send(10_000)
    rig.link.traits = {}
    send(40)
    expect(rig.ingest.counts).to.include({ unknownPackets: 0 })
    expect(rig.ingest.counts.recoveredPackets).to.be.above(15)
    expect([...sources.values()].every(({ nackedPackets }) => nackedPackets > 0)).to.equal(true)
    expect(rig.sink.units.length).to.be.above(700)
  })

  it('asks the source of a track for a keyframe, and no other', () => {
    const { rig, send, sources } = createBrowser()
    send(2000)
    const requests = () => RIDS.map((rid) => sources.get(rid)!.keyframeRequests)
    const before = requests()
    rig.ingest.requestKeyframe(rig.sink.tracks.find(({ label }) => label === 'h')!.id)
    send(200)
    expect(requests()).to.eql([before[0], before[1]! + 1, before[2]])
  })

  it('leaves out layers that were not agreed on, and follows another size of one', () => {
    const { rig, send, sources, events, main } = createBrowser()
    send(2000)
    events()
    const stranger = rig.source({ media: videoMedia('VP8', { rids: RIDS }), rid: 'x', ssrc: 99 })
    stranger.sendPayload(Buffer.from([0x10, 1, 1, 1]), 0)
    expect(rig.ingest.counts.unknownPackets).to.equal(1)
    sources.get('f')!.write(samplePicture('vp8', 0, true, 20, 480), 2000 * 90)
    expect(events()).to.eql(['~ video f main'])
    expect(main()).to.deep.include({ label: 'f' })
    expect(rig.sink.units.at(-1)!.track).to.equal(main())
  })

  it('names the tracks of a further media by it', () => {
    const first = videoMedia('VP8')
    const second = videoMedia('VP8', { mid: '2', rids: ['q', 'f'] })
    const rig = new IngestRig({ medias: [first, second] })
    const write = (source: ScriptedSource, width: number) => source.write(samplePicture('vp8', 0, true, 20, width), 0)
    write(rig.source({ media: first, ssrc: 1 }), 64)
    write(rig.source({ media: second, rid: 'f', ssrc: 2 }), 64)
    write(rig.source({ media: second, rid: 'q', ssrc: 3 }), 32)
    expect(rig.sink.events).to.eql(['+ video main', '+ video f layer 2', '+ video q layer 2-q'])
    expect(rig.sink.tracks.map(({ group }) => group)).to.eql([undefined, '2', '2'])
  })
})
