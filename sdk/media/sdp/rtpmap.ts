import { MAX_PAYLOAD_TYPE } from '../rtp/static-payload-type.ts'
import { parseDecimal, splitWords } from './line.ts'

/** The format of a payload type, as an `rtpmap` names it (RFC 8866 6.6). */
export type Rtpmap = {
  readonly payloadType: number
  /** The name in upper case. */
  readonly encodingName: string
  /** Undefined when it is missing or broken. */
  readonly clockRate: number | undefined
  readonly channels: number
}

const MAX_CLOCK_RATE = 0xffff_ffff
const MAX_CHANNELS = 255

/** Parses the value of an `rtpmap`: `97 MPEG4-GENERIC/48000/2`. Undefined when it names no format. */
export function parseRtpmap(value: string): Rtpmap | undefined {
  const [type, encoding = ''] = splitWords(value, 2)
  const [name = '', clockRate, channels] = encoding.split('/', 3)
  const payloadType = parseDecimal(type, MAX_PAYLOAD_TYPE)
  if (payloadType === undefined || name === '') return undefined
  return {
    payloadType,
    encodingName: name.toUpperCase(),
    // A rate of 0 is none.
    clockRate: parseDecimal(clockRate, MAX_CLOCK_RATE) || undefined,
    channels: parseDecimal(channels, MAX_CHANNELS) || 1,
  }
}
