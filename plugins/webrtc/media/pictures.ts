import type { AccessUnit, VideoTrack } from 'sluice/sdk'
import { rescale } from 'sluice/sdk/media'
import { CatchUp } from './catch-up.ts'
import { Layers } from './layers.ts'
import type { Outlet } from './outlet.ts'
import { bframesSeen, packetsOf, type MediaPacket } from './unit-packets.ts'

/** How often what is due of kept pictures goes out. */
const CATCH_UP_INTERVAL_MS = 20
/** A late viewer does not wait for the end of a longer group of pictures, but asks for a keyframe. */
const LONG_GROUP_MS = 3000
/** A viewer's requests for keyframes are passed on at most this often. */
const KEYFRAME_REQUEST_INTERVAL_MS = 500

/** What pictures have to do with the rest of a session. */
export type PicturesInit = {
  readonly outlet: Outlet
  readonly layer: string | undefined
  readonly now: () => number
  readonly setTimeout: (callback: () => void, delayMs: number) => () => void
  readonly requestKeyframe: (track: VideoTrack) => void
  /** Packets of a picture were sent, with a time of the outlet's clock. */
  readonly sent: (unit: AccessUnit, ticks: number, nowMs: number) => void
  /** Tells what is wrong with the B-frames of a track, as soon as some were seen. */
  readonly bframes: (track: VideoTrack, problem: string) => void
}

/** The pictures of a viewer: which track of them, from which keyframe on, and when. */
export class Pictures {
  readonly #init: PicturesInit
  readonly #outlet: Outlet
  readonly #layers: Layers
  #needsKeyframe = true
  /** The track of which a keyframe was asked for last, and when. */
  #requested: VideoTrack | undefined
  #requestedMs = -Infinity
  #keyframeRequests = 0
  /** What is kept for late viewers, while that is being handed over. */
  #kept: AccessUnit[] | undefined
  #catchUp: CatchUp | undefined
  /** What waits to go out while a late viewer catches up, and how much of it went. */
  #backlog: AccessUnit[] = []
  #stopTimer: (() => void) | undefined
  #lastTicks = -Infinity
  /** Another track goes out than before: its times go on behind the last, if they are not later anyway. */
  #isFollowing = false
  #bframeTrack: VideoTrack | undefined
  /** When the unit came that is taken. */
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

  /** Takes what `read` hands over within the call as what is kept, of which the newest group of pictures goes out soon. */
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

  /** What comes next does not go on from what came. */
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
    // B-frames are told by the order in which pictures come, so each is cut as it does.
    const packets = packetsOf(unit)
    this.#tellBframes(unit)
    if (this.#isClosed) return
    if (this.#kept !== undefined) {
      if (unit.keyframe) this.#kept = []
      this.#kept.push(unit)
    } else if (this.#stopTimer !== undefined) {
      // What is left before a keyframe needs not be seen.
      if (unit.keyframe) this.#backlog = []
      this.#backlog.push(unit)
    } else this.#send(unit, packets, this.#nowMs)
  }

  #send(unit: AccessUnit, packets: readonly MediaPacket[], nowMs: number): void {
    if (packets.length === 0) return
    let ticks = rescale(unit.pts, unit.track.timescale, this.#outlet.sender.clockRate)
    if (this.#catchUp !== undefined) ticks = this.#catchUp.timeOf(ticks)
    if (ticks > this.#lastTicks) this.#isFollowing = false
    // Packets of one time are one picture to a receiver.
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

  /** Sends what is due of what waits, and comes again until the viewer has caught up. */
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
    // Set before anything is sent, as what is sent may end the session.
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
