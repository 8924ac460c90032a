import type { RtpExtensionName } from '../sdp/negotiated-media.ts'

const FIXED_BYTES = 12
const VERSION = 0x80
const HAS_EXTENSION = 0x10
const MARKER = 0x80
const EXTENSION_HEAD_BYTES = 4
/** Elements with heads of one byte (RFC 8285 4.2). */
const ONE_BYTE_PROFILE = 0xbede
const MAX_ELEMENT_BYTES = 16
const SEND_TIME_BYTES = 3
/** The unit of abs-send-time, 1/2^18 s; it wraps every 64 s. */
const SEND_TIME_TICKS_PER_MS = 2 ** 18 / 1000
const SEND_TIME_RANGE_MS = 64_000

/** The common fields of all headers of one RTP stream. */
export type RtpHeadInit = {
  readonly payloadType: number
  readonly ssrc: number
  /** The header extensions that were agreed on; the time of sending is written, and the name of the media. */
  readonly extensions: ReadonlyMap<RtpExtensionName, number>
  /** The name of the media in its packets until {@link RtpHead.leaveMid}; undefined for none. */
  readonly mid: string | undefined
}

/**
 * The RTP header of one stream (RFC 3550 5.1) with its extension (RFC 8285), which is overwritten for each packet: the time of sending
 * (abs-send-time) if that was agreed on, and the name of the media at first.
 */
export class RtpHead {
  readonly bytes: Uint8Array
  readonly #payloadType: number
  readonly #sendTimeOffset: number
  #sizeBytes: number

  constructor({ payloadType, ssrc, extensions, mid }: RtpHeadInit) {
    this.#payloadType = payloadType
    const elements: number[] = []
    const sendTimeId = extensions.get('absoluteSendTime')
    if (sendTimeId !== undefined) elements.push((sendTimeId << 4) | (SEND_TIME_BYTES - 1), 0, 0, 0)
    this.#sendTimeOffset = sendTimeId === undefined ? 0 : FIXED_BYTES + EXTENSION_HEAD_BYTES + 1
    const midId = extensions.get('mid')
    const name = Buffer.from(mid ?? '')
    if (midId !== undefined && name.length > 0 && name.length <= MAX_ELEMENT_BYTES) {
      elements.push((midId << 4) | (name.length - 1), ...name)
    }
    while (elements.length % 4 !== 0) elements.push(0)
    this.bytes = new Uint8Array(FIXED_BYTES + (elements.length > 0 ? EXTENSION_HEAD_BYTES + elements.length : 0))
    this.bytes.set([ssrc >>> 24, ssrc >>> 16, ssrc >>> 8, ssrc], 8)
    this.bytes.set(elements, FIXED_BYTES + (elements.length > 0 ? EXTENSION_HEAD_BYTES : 0))
    this.#sizeBytes = this.bytes.length
    this.#writeExtensionHead()
  }

  /** The size of the header in `bytes`. */
  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** Leaves the name of the media out from now on, as the receiver knows the stream by its SSRC. */
  leaveMid(): void {
    const hasSendTime = this.#sendTimeOffset > 0
    this.#sizeBytes = FIXED_BYTES + (hasSendTime ? EXTENSION_HEAD_BYTES + 1 + SEND_TIME_BYTES : 0)
    this.#writeExtensionHead()
  }

  /** Writes the time of sending for the packets from now on. @param nowMs a monotonic clock */
  setSendTime(nowMs: number): void {
    const offset = this.#sendTimeOffset
    if (offset === 0) return
    const ticks = ((nowMs % SEND_TIME_RANGE_MS) * SEND_TIME_TICKS_PER_MS) | 0
    const { bytes } = this
    bytes[offset] = ticks >>> 16
    bytes[offset + 1] = ticks >>> 8
    bytes[offset + 2] = ticks
  }

  /** Writes the fields of a packet: the low 16 bits of `sequenceNumber`, and 32 of `timestamp`. */
  set(marker: boolean, sequenceNumber: number, timestamp: number): void {
    const { bytes } = this
    bytes[1] = marker ? MARKER | this.#payloadType : this.#payloadType
    bytes[2] = sequenceNumber >>> 8
    bytes[3] = sequenceNumber
    bytes[4] = timestamp >>> 24
    bytes[5] = timestamp >>> 16
    bytes[6] = timestamp >>> 8
    bytes[7] = timestamp
  }

  #writeExtensionHead(): void {
    const hasExtension = this.#sizeBytes > FIXED_BYTES
    this.bytes[0] = hasExtension ? VERSION | HAS_EXTENSION : VERSION
    if (!hasExtension) return
    const words = (this.#sizeBytes - FIXED_BYTES - EXTENSION_HEAD_BYTES) / 4
    this.bytes.set([ONE_BYTE_PROFILE >>> 8, ONE_BYTE_PROFILE & 0xff, 0, words], FIXED_BYTES)
  }
}
