import type { AccessUnit, VideoTrack } from 'sluice/sdk'
import { rescale } from 'sluice/sdk/media'
import { CatchUp } from './catch-up.ts'
import { Layers } from './layers.ts'
import type { Outlet } from './outlet.ts'
import { bframesSeen, packetsOf, type MediaPacket } from './unit-packets.ts'

/** The time between bursts of kept pictures. */
const CATCH_UP_INTERVAL_MS = 20
/** A late viewer does not wait for the end of a longer group of pictures, but asks for a keyframe. */
const LONG_GROUP_MS = 3000
/** A viewer's requests for keyframes are passed on at most this often. */
const KEYFRAME_REQUEST_INTERVAL_MS = 500

/** The options of {@link Pictures}, given by the playout. */
export type PicturesInit = {
  readonly outlet: Outlet
  readonly layer: string | undefined
  readonly now: () => number
  readonly setTimeout: (callback: () => void, delayMs: number) => () => void
  readonly requestKeyframe: (track: VideoTrack) => void
  /** Packets of a picture were sent, with a time of the outlet's clock. */
  readonly sent: (unit: AccessUnit, ticks: number, nowMs: number) => void
  /** Called with the warning about a track's B-frames, as soon as some were seen. */
  readonly bframes: (track: VideoTrack, problem: string) => void
}

/** Sends the video of one viewer: it chooses the track, waits for keyframes and lets late viewers catch up. */
export class Pictures {
  readonly #init: PicturesInit
  readonly #outlet: Outlet
  readonly #layers: Layers
  #needsKeyframe = true
  /** The track that a keyframe was last requested for, and the time. */
  #requested: VideoTrack | undefined
  #requestedMs = -Infinity
  #keyframeRequests = 0
  /** The units kept for late viewers, while `read` hands them over. */
  #kept: AccessUnit[] | undefined
  #catchUp: CatchUp | undefined
  /** The units that wait to go out while a late viewer catches up. */
  #backlog: AccessUnit[] = []
  #stopTimer: (() => void) | undefined
  #lastTicks = -Infinity
  /** True after a change of track: its times continue after the last one, unless they are later anyway. */
  #isFollowing = false
  #bframeTrack: VideoTrack | undefined
  /** The arrival time of the current unit. */
  #nowMs: number
  #isClosed = false

  constructor(init: PicturesInit) {
    this.#init = init
    this.#outlet = init.outlet
    this.#nowMs = init.now()
    const owner = {
      send: (unit: AccessUnit) => this.#take(unit),
      moved: () => this.#moved(),
      requestKeyframe: (track: VideoTrack) => this.#request(track, this.#nowMs),
    }
    this.#layers = new Layers(owner, init.layer, this.#nowMs)
  }

  get layers(): Layers {
    return this.#layers
  }

  get keyframeRequests(): number {
    return this.#keyframeRequests
  }

  /** Takes the units that `read` hands over within the call as kept ones; the newest group of pictures among them goes out soon. */
  begin(read: () => void): void {
    this.#kept = []
    read()
    const kept = this.#kept
    this.#kept = undefined
    const nowMs = this.#init.now()
    this.#nowMs = nowMs
    const [first] = kept
    if (this.#isClosed) return
    if (first === undefined) this.#requestCurrent(nowMs)
    else this.#catchUpWith(kept, first, nowMs)
  }

  /** Takes a unit of any video track. */
  unit(unit: AccessUnit, nowMs: number): void {
    this.#nowMs = nowMs
    this.#layers.take(unit, nowMs)
  }

  /** The receiver has lost pictures. */
  pictureLost(nowMs: number): void {
    this.#requestCurrent(nowMs)
  }

  /** The next unit does not continue the former ones. */
  interrupt(): void {
    this.#needsKeyframe = true
    this.#isFollowing = true
  }

  /** Idempotent. */
  close(): void {
    this.#isClosed = true
    this.#stopTimer?.()
    this.#stopTimer = undefined
    this.#backlog = []
  }

  #moved(): void {
    this.interrupt()
    this.#backlog = []
    if (this.#kept === undefined) this.#requestCurrent(this.#nowMs)
    else this.#kept = []
  }

  /** Takes a unit of the track that goes out. */
  #take(unit: AccessUnit): void {
    if (this.#needsKeyframe && !unit.keyframe) {
      if (this.#kept === undefined) this.#requestCurrent(this.#nowMs)
      return
    }
    this.#needsKeyframe = false
    // B-frames are recognised by the order in which pictures come, so each picture is cut when it comes.
    const packets = packetsOf(unit)
    this.#tellBframes(unit)
    if (this.#isClosed) return
    if (this.#kept !== undefined) {
      if (unit.keyframe) this.#kept = []
      this.#kept.push(unit)
    } else if (this.#stopTimer !== undefined) {
      // Pictures that wait need not be seen after a new keyframe.
      if (unit.keyframe) this.#backlog = []
      this.#backlog.push(unit)
    } else this.#send(unit, packets, this.#nowMs)
  }

  #send(unit: AccessUnit, packets: readonly MediaPacket[], nowMs: number): void {
    if (packets.length === 0) return
    let ticks = rescale(unit.pts, unit.track.timescale, this.#outlet.sender.clockRate)
    if (this.#catchUp !== undefined) ticks = this.#catchUp.timeOf(ticks)
    if (ticks > this.#lastTicks) this.#isFollowing = false
    // Packets with the same time are one picture to a receiver.
    if (ticks === this.#lastTicks || this.#isFollowing) ticks = this.#lastTicks + 1
    this.#lastTicks = Math.max(this.#lastTicks, ticks)
    this.#outlet.send(packets, ticks, false, nowMs)
    this.#init.sent(unit, ticks, nowMs)
  }

  #catchUpWith(kept: AccessUnit[], first: AccessUnit, nowMs: number): void {
    const { clockRate } = this.#outlet.sender
    const ticksOf = ({ pts, track }: AccessUnit) => rescale(pts, track.timescale, clockRate)
    const firstTicks = ticksOf(first)
    let lastTicks = firstTicks
    let sizeBytes = 0
    for (const unit of kept) {
      lastTicks = Math.max(lastTicks, ticksOf(unit))
      sizeBytes += unit.sizeBytes
    }
    this.#catchUp = new CatchUp({ clockRate, firstTicks, lastTicks, sizeBytes }, nowMs)
    this.#backlog = kept
    if (lastTicks - firstTicks > (LONG_GROUP_MS * clockRate) / 1000) this.#requestCurrent(nowMs)
    this.#sendDue()
  }

  /** Sends the pictures that are due, and again after a while until the viewer has caught up. */
  #sendDue(): void {
    const nowMs = this.#init.now()
    const dueTicks = this.#catchUp!.dueTicks(nowMs)
    const backlog = this.#backlog
    let count = 0
    for (; count < backlog.length; count++) {
      const { pts, track } = backlog[count]!
      if (rescale(pts, track.timescale, this.#outlet.sender.clockRate) > dueTicks) break
    }
    this.#backlog = backlog.slice(count)
    // The timer is set before anything is sent, as sending may end the session.
    this.#stopTimer =
      dueTicks === Infinity ? undefined : this.#init.setTimeout(() => this.#sendDue(), CATCH_UP_INTERVAL_MS)
    for (const unit of backlog.slice(0, count)) this.#send(unit, packetsOf(unit), nowMs)
  }

  #requestCurrent(nowMs: number): void {
    const { current } = this.#layers
    if (current !== undefined) this.#request(current, nowMs)
  }

  #request(track: VideoTrack, nowMs: number): void {
    if (track === this.#requested && nowMs - this.#requestedMs < KEYFRAME_REQUEST_INTERVAL_MS) return
    this.#requested = track
    this.#requestedMs = nowMs
    this.#keyframeRequests += 1
    this.#init.requestKeyframe(track)
  }

  #tellBframes({ track }: AccessUnit): void {
    if (track === this.#bframeTrack || track.kind !== 'video') return
    const problem = bframesSeen(track)
    if (problem === undefined) return
    this.#bframeTrack = track
    this.#init.bframes(track, problem)
  }
}
