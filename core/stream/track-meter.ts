import type { AccessUnit } from 'sluice/sdk'

/** Counts one track's units and bytes, and their rates over the time between two samples. */
export class TrackMeter {
  units = 0
  bytes = 0
  keyframes = 0
  /** True while the track can't be decoded before its next keyframe. */
  awaitsKeyframe = true
  /** The number of units that were lost before they came, and of those that could not be decoded without them. */
  lost = 0
  #isAfterLoss = false
  /** The number of units since the newest keyframe, and between the two newest keyframes. */
  unitsSinceKeyframe = 0
  gopUnits = 0
  lastDts = 0
  /** The latest presentation time. */
  lastPts = 0
  /** The bytes and units a second, at the last sample. */
  bps = 0
  fps = 0
  #sampledBytes = 0
  #sampledUnits = 0
  #sampledMs: number

  /** @param nowMs the time at which counting begins, on the clock that `sample` gets */
  constructor(nowMs: number) {
    this.#sampledMs = nowMs
  }

  count(unit: AccessUnit): void {
    this.units++
    this.bytes += unit.sizeBytes
    this.lastDts = unit.dts
    if (unit.pts > this.lastPts) this.lastPts = unit.pts
    if (unit.keyframe) {
      this.keyframes++
      this.awaitsKeyframe = false
      this.#isAfterLoss = false
      this.gopUnits = this.unitsSinceKeyframe
      this.unitsSinceKeyframe = 0
    }
    this.unitsSinceKeyframe++
  }

  /** Counts units that did not come. */
  lose(count: number): void {
    this.lost += count
    this.awaitsKeyframe = true
    this.#isAfterLoss = true
  }

  /** Notes a unit that can't be decoded, as a keyframe is needed. */
  leaveOut(): void {
    if (this.#isAfterLoss) this.lost++
  }

  sample(nowMs: number): void {
    const seconds = (nowMs - this.#sampledMs) / 1000
    if (seconds <= 0) return
    this.bps = Math.round((this.bytes - this.#sampledBytes) / seconds)
    this.fps = Math.round((this.units - this.#sampledUnits) / seconds)
    this.#sampledBytes = this.bytes
    this.#sampledUnits = this.units
    this.#sampledMs = nowMs
  }
}
