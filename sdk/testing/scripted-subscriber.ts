import type { AccessUnit } from '../media/access-unit.ts'
import type { Track } from '../media/track.ts'
import type { CloseReason } from '../stream/close-reason.ts'
import type { Sink } from '../stream/sink.ts'
import type { Subscriber, UnitReader } from '../stream/subscriber.ts'

/** Takes what a subscriber gets and keeps it: bytes after `attach(format, sink)`, tracks and units after `read`. */
export class CollectingSink implements Sink {
  readonly writes: Buffer[] = []
  readonly frame?: (bytes: Buffer) => Buffer
  #stalled = false
  #queuedBytes = 0

  /** @param frame That of the sink. */
  constructor(frame?: (bytes: Buffer) => Buffer) {
    if (frame) this.frame = frame
  }

  /** All bytes so far. */
  get bytes(): Buffer {
    return Buffer.concat(this.writes)
  }

  get queuedBytes(): number {
    return this.#queuedBytes
  }

  write(bytes: Buffer): void {
    this.writes.push(bytes)
    if (this.#stalled) this.#queuedBytes += bytes.length
  }

  /** Behaves like a peer that reads nothing: bytes that are written from now on stay queued. */
  stall(): void {
    this.#stalled = true
  }

  /** Reads again. Queued bytes are gone at once, or all but some of them. */
  drain(leftBytes = 0): void {
    this.#stalled = leftBytes > 0
    this.#queuedBytes = Math.min(this.#queuedBytes, leftBytes)
  }
}

/** Reads a subscriber's units and keeps them. */
export class ScriptedSubscriber implements UnitReader {
  /** The announced tracks in order; a track is there again when its configuration changed. */
  readonly tracks: Track[] = []
  readonly units: AccessUnit[] = []
  readonly #subscriber: Subscriber
  #closeReason: CloseReason | undefined

  constructor(subscriber: Subscriber) {
    this.#subscriber = subscriber
    subscriber.onClose((reason) => (this.#closeReason = reason))
    subscriber.read(this)
  }

  /** The reason of the subscriber's end; undefined while it runs. */
  get closeReason(): CloseReason | undefined {
    return this.#closeReason
  }

  track(track: Track): void {
    this.tracks.push(track)
  }

  unit(unit: AccessUnit): void {
    this.units.push(unit)
  }

  close(): void {
    this.#subscriber.close('the test ended')
  }
}
