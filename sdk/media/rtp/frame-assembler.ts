import { MAX_ACCESS_UNIT_SIZE_BYTES } from '../codec/nalu.ts'
import { MalformedError } from '../errors.ts'
import type { VideoConfig } from '../track.ts'
import type { RtpFrame } from './depacketizer.ts'
import { MAX_PACKETS_PER_ACCESS_UNIT } from './limits.ts'
import type { RtpPacket } from './packet.ts'

/** The properties of a frame; the configuration where it has one. */
export type FrameTraits = { readonly keyframe: boolean; readonly config: VideoConfig | undefined }

const NO_FRAMES: readonly RtpFrame[] = []

/** Puts frames together from pieces of packets: a frame ends at the marker, or where the time changes. */
export class FrameAssembler {
  readonly #traitsOf: (data: Buffer) => FrameTraits
  #timestamp: number | undefined
  #parts: Buffer[] = []
  #sizeBytes = 0
  #packets = 0
  #begun = false
  /** The last packet may be the last one of its frame. */
  #whole = false
  #config: VideoConfig | undefined
  #finished: RtpFrame[] = []

  /** @param traitsOf Throws MalformedError for a frame that is broken, which is given up. */
  constructor(traitsOf: (data: Buffer) => FrameTraits) {
    this.#traitsOf = traitsOf
  }

  /** A frame has begun, and nothing of it is missing so far. */
  get begun(): boolean {
    return this.#begun
  }

  /**
   * Reads the next packet as a depacketizer's `push` does. Frames that were complete before a broken packet come with the
   * next one.
   * @param read reads the payload by calls of `begin`, `add` and `end`
   */
  push(packet: RtpPacket, follows: boolean, read: (payload: Buffer) => void): readonly RtpFrame[] {
    const { payload, timestamp, marker } = packet
    if (!follows) this.discard()
    // Senders that probe the network send padding alone.
    if (payload.length === 0) return this.#takeFinished()
    try {
      if (timestamp !== this.#timestamp) this.#finish()
      this.#timestamp = timestamp
      this.#countPacket()
      read(payload)
      if (marker) this.#finish()
    } catch (error) {
      this.discard()
      throw error
    }
    return this.#takeFinished()
  }

  /** Begins a frame. One before it, of the same time, ends. */
  begin(): void {
    this.#finish()
    this.#begun = true
    this.#packets = 1
  }

  /** Takes the next piece of a frame; ignores pieces of a frame without its beginning. */
  add(part: Buffer): void {
    if (!this.#begun) return
    this.#sizeBytes += part.length
    if (this.#sizeBytes > MAX_ACCESS_UNIT_SIZE_BYTES) {
      throw new MalformedError(`frame of more than ${MAX_ACCESS_UNIT_SIZE_BYTES} bytes`)
    }
    this.#parts.push(part)
  }

  /** Declares whether a frame may end with the piece that was added last; otherwise more of it must come. */
  end(whole: boolean): void {
    this.#whole = whole
  }

  /** Gives up what was begun. */
  discard(): void {
    this.#parts = []
    this.#sizeBytes = 0
    this.#packets = 0
    this.#begun = false
    this.#whole = false
  }

  #countPacket(): void {
    this.#packets += 1
    if (this.#packets > MAX_PACKETS_PER_ACCESS_UNIT) {
      throw new MalformedError(`frame of more than ${MAX_PACKETS_PER_ACCESS_UNIT} packets`)
    }
  }

  #finish(): void {
    const parts = this.#parts
    const sizeBytes = this.#sizeBytes
    const whole = this.#begun && this.#whole && sizeBytes > 0
    this.discard()
    if (!whole) return
    const data = parts.length === 1 ? parts[0]! : Buffer.concat(parts, sizeBytes)
    const { keyframe, config } = this.#traitsOf(data)
    const timestamp = this.#timestamp!
    if (config === undefined || isSame(config, this.#config)) {
      this.#finished.push({ timestamp, keyframe, data })
    } else {
      this.#config = config
      this.#finished.push({ timestamp, keyframe, data, config })
    }
  }

  #takeFinished(): readonly RtpFrame[] {
    if (this.#finished.length === 0) return NO_FRAMES
    const finished = this.#finished
    this.#finished = []
    return finished
  }
}

function isSame(one: VideoConfig, other: VideoConfig | undefined): boolean {
  return one.width === other?.width && one.height === other.height && one.record.equals(other.record)
}
