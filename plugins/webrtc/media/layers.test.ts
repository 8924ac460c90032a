import { expect } from 'chai'
import type { AccessUnit, VideoTrack } from 'sluice/sdk'
import { rembFeedback, serializeRtcp } from 'sluice/sdk/media'
import { PlayoutRig } from './fixtures/playout-rig.ts'
import { samplePicture, sampleVideoTrack } from './fixtures/sample-stream.ts'

const TOP = sampleVideoTrack('vp8', { id: 0, label: 'f' })
const MIDDLE = sampleVideoTrack('vp8', { id: 1, layer: 'h', label: 'h' })
const LOW = sampleVideoTrack('vp8', { id: 2, layer: 'q', label: 'q' })
const LAYERS = [TOP, MIDDLE, LOW]
/** What the publisher shows beside the camera: of more bits than that. */
const SCREEN = sampleVideoTrack('vp8', { id: 3, layer: '2', group: '2' })
const TRACKS = [...LAYERS, SCREEN]
const SIZES_BYTES = new Map([
  [SCREEN, 20_000],
  [TOP, 8000],
  [MIDDLE, 2500],
  [LOW, 700],
])
const EVERY_MS = 40

/** A publisher of three layers, or of other tracks, which makes a keyframe when it is asked for one. */
class Simulcast {
  readonly rig: PlayoutRig
  readonly shown: { readonly layer: VideoTrack; readonly picture: number }[] = []
  /** The order in which the layers of a picture come. */
  order: readonly VideoTrack[]
  /** By how many pictures a layer is behind. */
  behind = new Map<VideoTrack, number>()
  paused: readonly VideoTrack[] = []
  says: (layer: VideoTrack) => { readonly loss?: number; readonly estimateBps?: number } = () => ({})
  #picture = 0
  #asked = 0

  constructor(layer?: string, tracks: readonly VideoTrack[] = LAYERS) {
    this.order = tracks
    this.rig = new PlayoutRig({ tracks, ...(layer !== undefined && { layer }) })
    this.rig.playout.start()
  }

  run(pictures: number): void {
    for (const end = this.#picture + pictures; this.#picture < end; this.#picture++) {
      const asked = this.rig.requests.slice(this.#asked)
      this.#asked += asked.length
      for (const track of this.order) if (!this.paused.includes(track)) this.#write(track, asked)
      this.rig.clock.advance(EVERY_MS)
      if (this.#picture % 25 === 0) this.#report()
    }
  }

  /** The layers and numbers of the pictures that the viewer got. */
  get pictures() {
    return this.rig.viewer.frames.map(({ bytes, timestamp, keyframe }) => {
      const value = bytes.readUInt32BE(20) - 0x0101_0101
      return { layer: TRACKS[Math.floor(value / 100_000)]!, picture: value % 100_000, timestamp, keyframe }
    })
  }

  get layer(): VideoTrack {
    return this.pictures.at(-1)!.layer
  }

  #write(track: VideoTrack, asked: readonly VideoTrack[]): void {
    const picture = this.#picture - (this.behind.get(track) ?? 0)
    if (picture < 0) return
    const isKey = picture === 0 || asked.some(({ id }) => id === track.id)
    const number = TRACKS.indexOf(track) * 100_000 + picture
    const sizeBytes = SIZES_BYTES.get(track)!
    const kind = isKey ? 'key' : 'reference'
    const unit: AccessUnit = samplePicture({ track, kind, number, dtsMs: picture * EVERY_MS, sizeBytes })
    this.rig.playout.unit(unit)
  }

  #report(): void {
    if (this.rig.viewer.frames.length === 0) return
    const { loss, estimateBps } = this.says(this.layer)
    if (loss !== undefined) {
      const zero = {
        cumulativeLost: 0,
        highestSequenceNumber: 0,
        jitter: 0,
        lastSenderReport: 0,
        delaySinceLastSenderReport: 0,
      }
      const reports = [{ ssrc: 1000, fractionLost: Math.round(loss * 256), ...zero }]
      this.rig.playout.rtcp(serializeRtcp([{ kind: 'receiverReport', ssrc: 1, reports }]))
    }
    if (estimateBps !== undefined) {
      this.rig.playout.rtcp(serializeRtcp([rembFeedback(1, { bitrateBps: estimateBps, ssrcs: [1000] })]))
    }
  }
}

/** Each picture once or, where a layer changes, twice; each layer from a keyframe on; times ascending. */
function expectWhole({ pictures }: Simulcast): void {
  for (const [index, { layer, picture, timestamp, keyframe }] of pictures.entries()) {
    const former = pictures[index - 1]
    if (former === undefined) continue
    expect((timestamp - former.timestamp) >>> 0, `time of ${picture}`).to.be.within(1, 2 * EVERY_MS * 90)
    if (layer === former.layer) expect(picture, `after ${former.picture}`).to.equal(former.picture + 1)
    else {
      expect(picture, `${picture} at the change`).to.be.within(former.picture - 3, former.picture + 1)
      expect(keyframe, `${picture} begins a layer`).to.equal(true)
    }
  }
}

describe('Layers', () => {
  it('sends the top layer, and no other, while all is well', () => {
    const simulcast = new Simulcast()
    simulcast.says = () => ({ loss: 0, estimateBps: 5_000_000 })
    simulcast.run(500)
    expect(simulcast.pictures.every(({ layer }) => layer === TOP)).to.equal(true)
    expect(simulcast.pictures.length).to.equal(500)
    expect(simulcast.rig.counts.layer).to.equal(undefined)
  })

  for (const wanted of ['q', 'h', 'f', 'none']) {
    it(`keeps to the layer ${wanted} that was asked for, whatever the network does`, () => {
      const simulcast = new Simulcast(wanted)
      simulcast.says = () => ({ loss: 0.3, estimateBps: 100_000 })
      simulcast.run(500)
      const layer = LAYERS.find(({ label }) => label === wanted) ?? TOP
      expect(simulcast.pictures.every((picture) => picture.layer === layer)).to.equal(true)
      expect(simulcast.pictures.length).to.equal(500)
    })
  }

  it('goes down by loss and up again, at keyframes that it asks for, without losing a picture', () => {
    const simulcast = new Simulcast()
    simulcast.says = () => ({ loss: 0.3 })
    simulcast.run(400)
    expect(simulcast.layer).to.equal(LOW)
    expect(simulcast.rig.counts.layer).to.equal('q')
    simulcast.says = () => ({ loss: 0 })
    simulcast.run(1500)
    expect(simulcast.layer).to.equal(TOP)
    expectWhole(simulcast)
  })

  it('goes down at once to what the estimate has room for', () => {
    const simulcast = new Simulcast()
    simulcast.run(100)
    simulcast.says = () => ({ estimateBps: 200_000 })
    simulcast.run(150)
    expect(simulcast.layer).to.equal(LOW)
    expect(new Set(simulcast.pictures.map(({ layer }) => layer))).to.eql(new Set([TOP, LOW]))
    expectWhole(simulcast)
  })

  it('loses no picture where the layers come in another order, or late', () => {
    for (const [order, behind] of [
      [LAYERS.toReversed(), new Map()],
      [LAYERS, new Map([[TOP, 2]])],
      [LAYERS, new Map([[LOW, 2]])],
      [LAYERS, new Map([[MIDDLE, 1]])],
    ] as const) {
      const simulcast = new Simulcast()
      simulcast.order = order
      simulcast.behind = behind
      simulcast.says = () => ({ loss: 0.3 })
      simulcast.run(400)
      expect(simulcast.layer).to.equal(LOW)
      simulcast.says = () => ({ loss: 0 })
      simulcast.run(1500)
      expect(simulcast.layer).to.equal(TOP)
      expectWhole(simulcast)
    }
  })

  it('goes to a layer that is still sent when that to which the network has lowered it is paused', () => {
    const simulcast = new Simulcast()
    simulcast.says = (layer) => ({ loss: layer === TOP ? 0.3 : 0 })
    simulcast.run(200)
    expect(simulcast.layer).to.equal(MIDDLE)
    simulcast.paused = [TOP, MIDDLE]
    simulcast.run(100)
    expect(simulcast.layer).to.equal(LOW)
    const { pictures } = simulcast
    expect(pictures.length, 'of 4 s, two at most without any').to.be.within(250, 300)
    simulcast.paused = []
    simulcast.says = () => ({ loss: 0 })
    simulcast.run(1500)
    expect(simulcast.layer).to.equal(TOP)
  })

  it('takes layers that have a picture a second for layers that are sent', () => {
    const simulcast = new Simulcast()
    simulcast.says = () => ({ loss: 0 })
    for (let seconds = 0; seconds < 20; seconds++) {
      simulcast.paused = []
      simulcast.run(1)
      simulcast.paused = LAYERS
      simulcast.run(24)
    }
    expect(new Set(simulcast.pictures.map(({ layer }) => layer))).to.eql(new Set([TOP]))
  })

  it('never goes to a track that shows something else', () => {
    for (const loss of [0, 0.3]) {
      for (const tracks of [
        [TOP, SCREEN],
        [TOP, LOW, SCREEN],
      ]) {
        const simulcast = new Simulcast(undefined, tracks)
        simulcast.says = () => ({ loss })
        simulcast.run(800)
        expect(simulcast.pictures.some(({ layer }) => layer === SCREEN)).to.equal(false)
      }
    }
    const asked = new Simulcast('2', [TOP, LOW, SCREEN])
    asked.run(100)
    expect(asked.layer).to.equal(SCREEN)
  })

  it('goes to a layer that still comes when its own has stopped', () => {
    const simulcast = new Simulcast()
    simulcast.run(100)
    simulcast.paused = [TOP]
    simulcast.rig.playout.trackRemoved(TOP)
    simulcast.rig.playout.trackRemoved(MIDDLE)
    const main = { ...MIDDLE, id: 7, layer: undefined as never }
    simulcast.rig.playout.track(main)
    expect(simulcast.rig.requests.at(-1)).to.equal(main)
  })
})
