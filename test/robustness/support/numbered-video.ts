import { AccessUnit, FLV_TAG_TYPE, flvConfigBody, flvUnitHeader, type VideoTrack } from 'sluice/sdk/media'
import { SCRIPTED_VIDEO } from 'sluice/sdk/testing'

const TRACK = { ...SCRIPTED_VIDEO, timescale: 1000, id: 0 } as VideoTrack
const IDR = 0x65
const NON_IDR = 0x41
const AVC_NALU = 1
const NUMBER_SIZE_BYTES = 4

/** The body of the message that sets the decoder up. */
export const VIDEO_CONFIG = flvConfigBody(TRACK) ?? Buffer.alloc(0)

/** The body of a video message that ends with a number, so that a viewer can tell which one it got. */
export function videoBody(number: number, options: { readonly keyframe: boolean; readonly sizeBytes: number }): Buffer {
  const { keyframe, sizeBytes } = options
  const nalu = Buffer.alloc(Math.max(sizeBytes, 1 + NUMBER_SIZE_BYTES), 0xaa)
  nalu[0] = keyframe ? IDR : NON_IDR
  nalu.writeUInt32BE(number, nalu.length - NUMBER_SIZE_BYTES)
  const unit = AccessUnit.fromNalus(TRACK, 0, 0, keyframe, [nalu])
  return Buffer.concat([flvUnitHeader(unit), unit.data])
}

/** Follows the numbers that one viewer gets. */
export class NumberCheck {
  first = -1
  last = -1
  /** What came out of order, for example `5 after 3`; empty as long as nothing is missing. */
  readonly gaps: string[] = []
  readonly #listener: (number: number) => void

  constructor(listener: (number: number) => void = () => {}) {
    this.#listener = listener
  }

  get count(): number {
    return this.first < 0 ? 0 : this.last - this.first + 1
  }

  /** Takes an RTMP message's or FLV tag's type and payload. */
  receive(type: number, body: Buffer): void {
    if (type !== FLV_TAG_TYPE.video || body[1] !== AVC_NALU) return
    this.receiveLast(body)
  }

  /** Takes what a frame ends with. */
  receiveLast(bytes: Buffer): void {
    const number = bytes.readUInt32BE(bytes.length - NUMBER_SIZE_BYTES)
    if (this.first < 0) this.first = number
    else if (number !== this.last + 1) this.gaps.push(`${number} after ${this.last}`)
    this.last = number
    this.#listener(number)
  }
}
