import type { AccessUnit, VideoTrack } from 'sluice/sdk'
import { mainTracks } from 'sluice/sdk/media'
import { LayerChoice } from './layer-choice.ts'

const LOOK_INTERVAL_MS = 1000
/** A layer of which nothing came for so many looks is paused; a screen on which nothing moves has a picture each second. */
const PAUSED_LOOKS = 2
/** A new layer's pictures that wait for those of the former that are shown before them; the layers come nearly at once. */
const MAX_WAITING_UNITS = 8

/** Who sends what goes out. */
export type LayerOwner = {
  send(unit: AccessUnit): void
  /** The former ends, and the other begins with a keyframe that follows. */
  moved(track: VideoTrack): void
  /** A keyframe of the track is needed. */
  requestKeyframe(track: VideoTrack): void
}

/**
 * The video tracks of a stream that a viewer can be sent, of which it gets one: the main one, which is the top layer of a
 * simulcast; the one that it asked for; or a lower layer while its network takes no more. Layers change at keyframes.
 */
export class Layers {
  readonly #owner: LayerOwner
  readonly #wanted: string | undefined
  readonly #choice: LayerChoice
  readonly #bytes = new Map<number, number>()
  #tracks: VideoTrack[] = []
  #current: VideoTrack | undefined
  /** The track to go on with, at its next keyframe. */
  #next: VideoTrack | undefined
  #waiting: AccessUnit[] = []
  /** How often in a row nothing had come of the current track. */
  #emptyLooks = 0
  /** The network has had a say in which track it is. */
  #isLowered = false
  #lookedMs: number

  /** @param wanted the layer that the viewer asked for, by its name; undefined leaves it to what its network takes */
  constructor(owner: LayerOwner, wanted: string | undefined, nowMs: number) {
    this.#owner = owner
    this.#wanted = wanted
    this.#choice = new LayerChoice(nowMs)
    this.#lookedMs = nowMs
  }

  get current(): VideoTrack | undefined {
    return this.#current
  }

  /** Takes a track that appeared, or takes the place of the one with its id. */
  add(track: VideoTrack): void {
    const index = this.#tracks.findIndex(({ id }) => id === track.id)
    if (index < 0) this.#tracks.push(track)
    else this.#tracks[index] = track
    if (this.#next?.id === track.id) this.#leaveNext()
    if (this.#current?.id === track.id) this.#current = track
    // Before it has begun to send, it takes the one that it likes best.
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

  /** Takes the receiver's estimate of what it can take (REMB). */
  estimate(bitrateBps: number, nowMs: number): void {
    this.#choice.estimate(bitrateBps, nowMs)
  }

  loss(fraction: number, nowMs: number): void {
    this.#choice.loss(fraction, nowMs)
  }

  /** Takes a unit of any of the tracks; those of the current track go out, and at a change those of the next. */
  take(unit: AccessUnit, nowMs: number): void {
    if (this.#tracks.length > 1) this.#meter(unit, nowMs)
    if (unit.track === this.#next) this.#wait(unit)
    else if (unit.track === this.#current) {
      const first = this.#waiting[0]
      // What is shown from the keyframe on, the next layer has.
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

  /** Counts what layers take, and looks each second which fits. */
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
    // One that its publisher has paused is no choice, and what shows something else neither.
    const sent = this.#tracks.filter((track) => track.group === current.group && rateOf(track) > 0)
    const layers = sent.toSorted((one, other) => rateOf(one) - rateOf(other))
    this.#emptyLooks = layers.includes(current) ? 0 : this.#emptyLooks + 1
    if (this.#emptyLooks === 0) this.#choose(layers, layers.map(rateOf), nowMs)
    else if (this.#emptyLooks >= PAUSED_LOOKS && this.#next === undefined && layers.length > 0) {
      this.#next = layers[this.#choice.fitting(layers.map(rateOf), nowMs)]
      this.#choice.changed(false, nowMs)
    }
  }

  /** @param layers those that are sent, the current one among them, by their rates */
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

  /** Goes to the track that a viewer begins with, if another one is sent, or none. */
  #prefer(): void {
    const preferred = this.#tracks.find(({ layer, label }) => {
      return this.#wanted !== undefined && (layer === this.#wanted || label === this.#wanted)
    })
    const isWanted = preferred !== undefined
    const track = preferred ?? mainTracks(this.#tracks)[0]
    if (track === undefined || track === this.#current) return
    // A lower layer that the network takes is not left for one that comes anew.
    if (this.#current !== undefined && !isWanted && this.#isLowered) return
    this.#leaveNext()
    this.#current = track
    this.#isLowered = false
    this.#owner.moved(track)
  }
}
