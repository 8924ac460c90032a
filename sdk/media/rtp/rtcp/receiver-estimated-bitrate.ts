import { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'
import type { PayloadFeedback } from './payload-feedback.ts'

/** The most sources that one estimate may name, by its count of 8 bits. */
export const REMB_MAX_SSRCS = 255

/** Feedback of an application (RFC 4585 6.4), which estimates are. */
const APPLICATION_FORMAT = 15
const NAME = Buffer.from('REMB')
const MANTISSA_RANGE = 2 ** 18
const MAX_EXPONENT = 63

/** A receiver's own estimate of the bitrate that it can take. */
export type ReceiverEstimate = {
  /** The bitrate of all the sources together, in bits a second. */
  readonly bitrateBps: number
  /** The sources that the estimate is for. */
  readonly ssrcs: readonly number[]
}

/**
 * Reads the estimate of a receiver's bitrate (draft-alvestrand-rmcat-remb-03 2.2):
 *
 *     'REMB' (32) | count of SSRCs (8) | exponent (6) | mantissa (18) | SSRCs (32 each)
 *
 * It is undefined for feedback of another kind.
 * @throws {MalformedError} when it ends early
 */
export function parseRemb({ format, data }: PayloadFeedback): ReceiverEstimate | undefined {
  if (format !== APPLICATION_FORMAT || !data.subarray(0, NAME.length).equals(NAME)) return undefined
  const reader = new ByteReader(data)
  reader.readBytes(NAME.length)
  const count = reader.readUint(1)
  const bits = reader.readUint(3)
  const ssrcs: number[] = []
  for (let left = count; left > 0; left -= 1) ssrcs.push(reader.readUint(4))
  return { bitrateBps: (bits % MANTISSA_RANGE) * 2 ** Math.floor(bits / MANTISSA_RANGE), ssrcs }
}

/**
 * Makes the feedback with an estimate; its bitrate is rounded down to the 18 bits that there are for it.
 * @throws {MalformedError} when it names more than 255 sources, or its bitrate does not fit
 */
export function rembFeedback(senderSsrc: number, { bitrateBps, ssrcs }: ReceiverEstimate): PayloadFeedback {
  const exponent = Math.max(0, Math.floor(Math.log2(Math.max(1, bitrateBps))) + 1 - 18)
  if (!(bitrateBps >= 0) || exponent > MAX_EXPONENT || ssrcs.length > REMB_MAX_SSRCS) {
    throw new MalformedError(`estimate of ${bitrateBps} bit/s for ${ssrcs.length} sources`)
  }
  const data = Buffer.alloc(NAME.length + 4 + ssrcs.length * 4)
  let offset = NAME.copy(data, 0)
  offset = data.writeUInt8(ssrcs.length, offset)
  offset = data.writeUIntBE(exponent * MANTISSA_RANGE + Math.floor(bitrateBps / 2 ** exponent), offset, 3)
  for (const ssrc of ssrcs) offset = data.writeUInt32BE(ssrc, offset)
  return { kind: 'payloadFeedback', format: APPLICATION_FORMAT, senderSsrc, mediaSsrc: 0, data }
}
