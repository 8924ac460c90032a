import type { AccessUnit } from '../media/access-unit.ts'

/** The weight of the mean so far beside one more step. */
const INERTIA = 7
/** The longest step between two pictures; a longer one is a break in the recording. */
const MAX_STEP_SECONDS = 2

/** The pictures a second of a recording, by the steps of decoding time in one of its tracks. */
export class PictureRate {
  #stepSeconds: number | undefined
  #last: AccessUnit | undefined

  /** The pictures per second; 0 before there were two pictures. */
  get perSecond(): number {
    return this.#stepSeconds === undefined ? 0 : 1 / this.#stepSeconds
  }

  count(unit: AccessUnit): void {
    const last = this.#last ?? unit
    if (last.track.id !== unit.track.id) return
    this.#last = unit
    const step = (unit.dts - last.dts) / unit.track.timescale
    if (step <= 0 || step > MAX_STEP_SECONDS) return
    this.#stepSeconds = this.#stepSeconds === undefined ? step : (this.#stepSeconds * INERTIA + step) / (INERTIA + 1)
  }

  /** Notes that the next picture does not follow the last one. */
  restart(): void {
    this.#last = undefined
  }
}
