import { TS_PACKET_SIZE_BYTES } from 'sluice/sdk/media'
import { findMarkers, type Marker } from '../../media/marker.ts'

/** The fields of a packet (ISO/IEC 13818-1 2.4.3.2 and 2.4.3.4). */
const [UNIT_START, PID_HIGH_BITS, HAS_ADAPTATION_FIELD, RANDOM_ACCESS] = [0x40, 0x1f, 0x20, 0x40]
const HEADER_BYTES = 4
/** The stream ids of video (table 2-22), behind a start code. */
const [FIRST_VIDEO_ID, LAST_VIDEO_ID] = [0xe0, 0xef]
/** A marker comes before the slices, behind parameter sets and what the encoder says of itself. */
const SEARCHED_BYTES = 2048

/** A picture that has come in whole. */
export type ArrivedPicture = {
  readonly keyframe: boolean
  readonly marker: Marker | null
  /** When the last of it came, of the monotonic clock. */
  readonly clockNs: bigint
}

/** Finds the pictures of an MPEG-TS without taking it apart. A picture is told when the next one begins, as many do not say how long they are. */
export class TsPictures {
  readonly #told: (picture: ArrivedPicture) => void
  #videoPid: number | undefined
  #open: { readonly keyframe: boolean; readonly start: Buffer[]; startBytes: number; clockNs: bigint } | undefined

  constructor(told: (picture: ArrivedPicture) => void) {
    this.#told = told
  }

  /** Takes whole packets, which are borrowed. */
  push(packets: Buffer, clockNs: bigint): void {
    for (let at = 0; at + TS_PACKET_SIZE_BYTES <= packets.length; at += TS_PACKET_SIZE_BYTES) {
      this.#packet(packets.subarray(at, at + TS_PACKET_SIZE_BYTES), clockNs)
    }
  }

  #packet(packet: Buffer, clockNs: bigint): void {
    const pid = packet.readUInt16BE(1) & ((PID_HIGH_BITS << 8) | 0xff)
    const adaptationBytes = (packet[3]! & HAS_ADAPTATION_FIELD) === 0 ? 0 : 1 + packet[HEADER_BYTES]!
    const payload = packet.subarray(HEADER_BYTES + adaptationBytes)
    if ((packet[1]! & UNIT_START) !== 0 && isVideo(payload)) {
      this.#end()
      this.#videoPid = pid
      const keyframe = adaptationBytes > 1 && (packet[HEADER_BYTES + 1]! & RANDOM_ACCESS) !== 0
      this.#open = { keyframe, start: [], startBytes: 0, clockNs }
    }
    if (pid !== this.#videoPid || this.#open === undefined) return
    this.#open.clockNs = clockNs
    if (this.#open.startBytes >= SEARCHED_BYTES) return
    this.#open.start.push(Buffer.from(payload))
    this.#open.startBytes += payload.length
  }

  #end(): void {
    if (this.#open === undefined) return
    const { keyframe, start, clockNs } = this.#open
    this.#told({ keyframe, marker: findMarkers(Buffer.concat(start))[0] ?? null, clockNs })
  }
}

function isVideo(payload: Buffer): boolean {
  if (payload.length < 4 || payload.readUIntBE(0, 3) !== 1) return false
  const streamId = payload[3]!
  return streamId >= FIRST_VIDEO_ID && streamId <= LAST_VIDEO_ID
}
