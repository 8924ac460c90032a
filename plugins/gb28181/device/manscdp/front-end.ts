import { parseFrontEndOrder, type FrontEndOrder, type OrderProblem } from './front-end-order.ts'

/** The direction of the front end, in degrees, and its zoom, in times. */
export type Pose = { readonly pan: number; readonly tilt: number; readonly zoom: number }

/** The degrees a second of the highest speed, and the steps of zoom. */
const FULL_TURN_DEGREES = 90
const FULL_SPEED = 255
const FULL_ZOOM_SPEED = 15
const ZOOM_A_SECOND = 4
const MAX_TILT_DEGREES = 90
const MAX_KEPT = 1000
const MAX_ZOOM = 32
const HOME: Pose = { pan: 0, tilt: 0, zoom: 1 }

/** A tour of presets. */
export type Cruise = { readonly presets: readonly number[]; readonly speed: number; readonly dwellSeconds: number }

/** The front end of a channel: what orders have made of it. */
export class FrontEnd {
  readonly #now: () => number
  #pose = HOME
  #sinceMs = 0
  /** The orders that were obeyed, oldest first; the last 1,000. */
  readonly orders: FrontEndOrder[] = []
  /** The reasons why orders were none; the last 1,000. */
  readonly problems: OrderProblem[] = []
  readonly presets = new Map<number, Pose>()
  readonly cruises = new Map<number, Cruise>()
  readonly scans = new Map<number, { readonly left?: Pose; readonly right?: Pose; readonly speed?: number }>()
  /** The switches that are on; 1 is the wiper. */
  readonly auxiliaries = new Set<number>()
  /** The speeds at which it moves: −255 to 255, and −15 to 15 for zoom; all 0 when it stands still. */
  motion: Pose = { pan: 0, tilt: 0, zoom: 0 }
  /** The speeds at which the lens moves: −255 to 255. */
  lens = { focus: 0, iris: 0 }
  /** The preset that was called last. */
  calledPreset: number | undefined
  /** The tour or the scan that goes on. */
  running: { readonly kind: 'cruise' | 'scan'; readonly number: number } | undefined

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.#now = now
    this.#sinceMs = now()
  }

  /** The present direction. */
  get pose(): Pose {
    const seconds = (this.#now() - this.#sinceMs) / 1000
    const { pan, tilt, zoom } = this.motion
    const turn = (speed: number) => (speed / FULL_SPEED) * FULL_TURN_DEGREES * seconds
    return {
      pan: (((this.#pose.pan + turn(pan)) % 360) + 360) % 360,
      tilt: clamp(this.#pose.tilt + turn(tilt), -MAX_TILT_DEGREES, MAX_TILT_DEGREES),
      zoom: clamp(this.#pose.zoom + (zoom / FULL_ZOOM_SPEED) * ZOOM_A_SECOND * seconds, 1, MAX_ZOOM),
    }
  }

  /** Obeys an order; returns what was wrong with it, or undefined. */
  obey(hex: string): OrderProblem | undefined {
    const order = parseFrontEndOrder(hex)
    if (typeof order === 'string') {
      this.problems.push(order)
      if (this.problems.length > MAX_KEPT) this.problems.shift()
      return order
    }
    this.orders.push(order)
    if (this.orders.length > MAX_KEPT) this.orders.shift()
    this.#obey(order)
    return undefined
  }

  /** Looks there at once, and stands still. */
  goTo(pose: Pose): void {
    this.#pose = pose
    this.#sinceMs = this.#now()
    this.motion = { pan: 0, tilt: 0, zoom: 0 }
    this.running = undefined
  }

  #obey(order: FrontEndOrder): void {
    switch (order.kind) {
      case 'move':
        this.goTo(this.pose)
        this.motion = { pan: order.pan, tilt: order.tilt, zoom: order.zoom }
        // All bits off stop the lens, too (A.3.3).
        if (order.pan === 0 && order.tilt === 0 && order.zoom === 0) this.lens = { focus: 0, iris: 0 }
        return
      case 'lens':
        this.lens = { focus: order.focus, iris: order.iris }
        return
      case 'preset':
        return this.#preset(order.action, order.preset)
      case 'cruise':
        return this.#cruise(order)
      case 'scan':
        return this.#scan(order)
      case 'auxiliary':
        if (order.isOn) this.auxiliaries.add(order.number)
        else this.auxiliaries.delete(order.number)
    }
  }

  #preset(action: 'set' | 'call' | 'delete', preset: number): void {
    if (action === 'delete') return void this.presets.delete(preset)
    if (action === 'set') return void this.presets.set(preset, this.pose)
    const pose = this.presets.get(preset)
    if (pose === undefined) return
    this.calledPreset = preset
    this.goTo(pose)
  }

  #cruise({ action, cruise: number, preset, value }: Extract<FrontEndOrder, { kind: 'cruise' }>): void {
    const cruise = this.cruises.get(number) ?? { presets: [], speed: 0, dwellSeconds: 0 }
    switch (action) {
      case 'add':
        return void this.cruises.set(number, { ...cruise, presets: [...cruise.presets, preset] })
      case 'delete':
        // The preset 0 is the whole tour.
        if (preset === 0) this.cruises.delete(number)
        else this.cruises.set(number, { ...cruise, presets: cruise.presets.filter((other) => other !== preset) })
        return
      case 'speed':
        return void this.cruises.set(number, { ...cruise, speed: value })
      case 'dwell':
        return void this.cruises.set(number, { ...cruise, dwellSeconds: value })
      case 'start':
        this.running = { kind: 'cruise', number }
    }
  }

  #scan({ action, scan: number, value }: Extract<FrontEndOrder, { kind: 'scan' }>): void {
    const scan = this.scans.get(number) ?? {}
    if (action === 'start') this.running = { kind: 'scan', number }
    else if (action === 'speed') this.scans.set(number, { ...scan, speed: value })
    else this.scans.set(number, { ...scan, [action]: this.pose })
  }
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value))
}
