import type { AccessUnit, VideoTrack } from 'sluice/sdk'
import { mainTracks } from 'sluice/sdk/media'
import { LayerChoice } from './layer-choice.ts'

const LOOK_INTERVAL_MS = 1000
/** A layer without units for this many looks is paused; a screen without movement has a picture every second. */
const PAUSED_LOOKS = 2
/** The most pictures of a new layer that wait while the former layer sends its earlier ones; both come at nearly the same time. */
const MAX_WAITING_UNITS = 8

/** The sender of the pictures, which is called by {@link Layers}. */
export type LayerOwner = {
  send(unit: AccessUnit): void
  /** The former track ends, and `track` begins with the keyframe that follows. */
  moved(track: VideoTrack): void
  /** A keyframe of the track is needed. */
  requestKeyframe(track: VideoTrack): void
}

/**
 * The video tracks of a stream that a viewer can be sent, of which it gets one: the main track, which is the top layer of a simulcast; the
 * layer that it asked for; or a lower layer while its network can't carry more. Layers change at keyframes.
 */
export class Layers {
  readonly #owner: LayerOwner
  readonly #wanted: string | undefined
  readonly #choice: LayerChoice
  readonly #bytes = new Map<number, number>()
  #tracks: VideoTrack[] = []
  #current: VideoTrack | undefined
  /** The track to change to at its next keyframe. */
  #next: VideoTrack | undefined
  #waiting: AccessUnit[] = []
  /** The number of consecutive looks at which the current track had no units. */
  #emptyLooks = 0
  /** True when the network's limits chose the current track. */
  #isLowered = false
  #lookedMs: number

  /** @param wanted the name of the layer that the viewer asked for; undefined lets its network decide */
  constructor(owner: LayerOwner, wanted: string | undefined, nowMs: number) {
    this.#owner = owner
    this.#wanted = wanted
    this.#choice = new LayerChoice(nowMs)
    this.#lookedMs = nowMs
  }

  get current(): VideoTrack | undefined {
    return this.#current
  }

  /** Takes a new track, or the successor of the one with its id. */
  add(track: VideoTrack): void {
    const index = this.#tracks.findIndex(({ id }) => id === track.id)
    if (index < 0) this.#tracks.push(track)
    else this.#tracks[index] = track
    if (this.#next?.id === track.id) this.#leaveNext()
    if (this.#current?.id === track.id) this.#current = track
    // A viewer that gets nothing yet begins with its preferred track.
    else this.#prefer()
  }

  remove(track: VideoTrack): void {
    this.#tracks = this.#tracks.filter(({ id }) => id !== track.id)
    this.#bytes.delete(track.id)
    if (this.#next?.id === track.id) this.#leaveNext()
    if (this.#current?.id !== track.id) return
    this.#leaveNext()
    this.#current = undefined
    this.#prefer()
  }

  clear(): void {
    this.#leaveNext()
    this.#tracks = []
    this.#bytes.clear()
    this.#current = undefined
  }

  /** Takes the receiver's estimate of its bandwidth (REMB), in bits per second. */
  estimate(bitrateBps: number, nowMs: number): void {
    this.#choice.estimate(bitrateBps, nowMs)
  }

  loss(fraction: number, nowMs: number): void {
    this.#choice.loss(fraction, nowMs)
  }

  /** Takes a unit of any track; units of the current track go out, and at a change those of the next one. */
  take(unit: AccessUnit, nowMs: number): void {
    if (this.#tracks.length > 1) this.#meter(unit, nowMs)
    if (unit.track === this.#next) this.#wait(unit)
    else if (unit.track === this.#current) {
      const first = this.#waiting[0]
      // The next layer has all pictures from its keyframe on.
      if (first !== undefined && first.pts * unit.track.timescale <= unit.pts * first.track.timescale) this.#move()
      else this.#owner.send(unit)
    }
  }

  #wait(unit: AccessUnit): void {
    if (unit.keyframe) this.#waiting = []
    else if (this.#waiting.length === 0) return
    this.#waiting.push(unit)
    if (this.#waiting.length >= MAX_WAITING_UNITS) this.#move()
  }

  #move(): void {
    const units = this.#waiting
    this.#current = this.#next!
    this.#isLowered = this.#current !== mainTracks(this.#tracks)[0]
    this.#leaveNext()
    this.#owner.moved(this.#current)
    for (const unit of units) this.#owner.send(unit)
  }

  /** Counts the bytes of the layers, and chooses one every second. */
  #meter(unit: AccessUnit, nowMs: number): void {
    const { id } = unit.track
    this.#bytes.set(id, (this.#bytes.get(id) ?? 0) + unit.sizeBytes)
    const elapsedMs = nowMs - this.#lookedMs
    if (elapsedMs < LOOK_INTERVAL_MS) return
    this.#lookedMs = nowMs
    if (this.#wanted === undefined) this.#look(elapsedMs, nowMs)
    if (this.#next !== undefined && this.#waiting.length === 0) this.#owner.requestKeyframe(this.#next)
    this.#bytes.clear()
  }

  #look(elapsedMs: number, nowMs: number): void {
    const rateOf = ({ id }: VideoTrack) => ((this.#bytes.get(id) ?? 0) * 8000) / elapsedMs
    const current = this.#current
    if (current === undefined) return
    // A layer that its publisher has paused can't be chosen, nor can a track with other content.
    const sent = this.#tracks.filter((track) => track.group === current.group && rateOf(track) > 0)
    const layers = sent.toSorted((one, other) => rateOf(one) - rateOf(other))
    this.#emptyLooks = layers.includes(current) ? 0 : this.#emptyLooks + 1
    if (this.#emptyLooks === 0) this.#choose(layers, layers.map(rateOf), nowMs)
    else if (this.#emptyLooks >= PAUSED_LOOKS && this.#next === undefined && layers.length > 0) {
      this.#next = layers[this.#choice.fitting(layers.map(rateOf), nowMs)]
      this.#choice.changed(false, nowMs)
    }
  }

  /** @param layers the layers that are sent, by ascending rate, with the current one */
  #choose(layers: readonly VideoTrack[], ratesBps: readonly number[], nowMs: number): void {
    const index = layers.findIndex((track) => track === this.#current)
    const wanted = this.#choice.next(ratesBps, index, nowMs)
    if (wanted === index) return
    this.#choice.changed(wanted > index, nowMs)
    this.#leaveNext()
    this.#next = layers[wanted]
  }

  #leaveNext(): void {
    this.#next = undefined
    this.#waiting = []
  }

  /** Changes to the track that a viewer begins with, unless it is sent already. */
  #prefer(): void {
    const preferred = this.#tracks.find(({ layer, label }) => {
      return this.#wanted !== undefined && (layer === this.#wanted || label === this.#wanted)
    })
    const isWanted = preferred !== undefined
    const track = preferred ?? mainTracks(this.#tracks)[0]
    if (track === undefined || track === this.#current) return
    // A lower layer that the network carries is not left for a new track.
    if (this.#current !== undefined && !isWanted && this.#isLowered) return
    this.#leaveNext()
    this.#current = track
    this.#isLowered = false
    this.#owner.moved(track)
  }
}
