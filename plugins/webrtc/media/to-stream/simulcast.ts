import type { UnitSink } from 'sluice/sdk'
import { LAYER_PAUSE_MS, SimulcastLayer } from './simulcast-layer.ts'

/** A larger layer becomes the main one after it has sent for this long without a pause. */
const STABLE_MS = 2000
/** The time after the first picture in which all layers are expected: a larger one becomes the main one at once. */
const START_MS = 1000

type SimulcastInit = {
  readonly sink: UnitSink
  /** The identifiers of the layers (RFC 8853), in the sender's order of preference. */
  readonly rids: readonly string[]
  /** The `layer` of the main layer's track; undefined in the first media. */
  readonly name: string | undefined
  readonly nowMs: () => number
  /** Asks the source for a keyframe of a layer. */
  readonly needKeyframe: (rid: string) => void
}

/**
 * The layers of simulcast (RFC 8853) as tracks, of which one is the main track: the largest that sends without pauses, as subscribers of a
 * single track get that one. A browser that is short of bandwidth pauses the largest one first, which then returns to its place at a
 * keyframe.
 */
export class Simulcast {
  /** The layers in the sender's order of preference. */
  readonly layers: readonly SimulcastLayer[]
  readonly #init: SimulcastInit
  #main: SimulcastLayer | undefined
  #startedMs = 0

  constructor(init: SimulcastInit) {
    this.#init = init
    const events = { nowMs: init.nowMs, keyframe: (layer: SimulcastLayer) => this.#takeKeyframe(layer) }
    this.layers = init.rids.map((rid) => new SimulcastLayer(rid, init.sink, init.name, events))
  }

  /** True when all layers have tracks, or no more are expected. */
  isComplete(nowMs: number): boolean {
    if (this.#main === undefined) return false
    return nowMs - this.#startedMs >= START_MS || this.layers.every(({ track }) => track !== undefined)
  }

  /** Requests a keyframe for a layer that is to become the main one. To be called often. */
  tick(nowMs: number): void {
    const best = this.#best(nowMs)
    if (best !== undefined && best !== this.#main && this.#mayLead(best, nowMs)) this.#init.needKeyframe(best.rid)
  }

  #takeKeyframe(layer: SimulcastLayer): void {
    const nowMs = this.#init.nowMs()
    const former = this.#main
    if (former === undefined) this.#startedMs = nowMs
    else if (layer === former || layer !== this.#best(nowMs) || !this.#mayLead(layer, nowMs)) return
    this.#main = layer
    if (former !== undefined) {
      former.setMain(false)
      if (!isPaused(former, nowMs)) this.#init.needKeyframe(former.rid)
    }
    layer.setMain(true)
  }

  /** True when a layer that is better than the main one may replace it already. */
  #mayLead(layer: SimulcastLayer, nowMs: number): boolean {
    if (this.#main === undefined || isPaused(this.#main, nowMs)) return true
    if (layer.pixels <= this.#main.pixels) return false
    return nowMs - layer.resumedMs >= STABLE_MS || nowMs - this.#startedMs < START_MS
  }

  /** The largest layer that is not paused, the first of equal ones; undefined when all are, as nothing is sent then. */
  #best(nowMs: number): SimulcastLayer | undefined {
    let best: SimulcastLayer | undefined
    for (const layer of this.layers) {
      if (!isPaused(layer, nowMs) && (best === undefined || layer.pixels > best.pixels)) best = layer
    }
    return best
  }
}

function isPaused({ writtenMs }: SimulcastLayer, nowMs: number): boolean {
  return nowMs - writtenMs >= LAYER_PAUSE_MS
}
