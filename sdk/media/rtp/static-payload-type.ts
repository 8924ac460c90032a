import type { RtpFormat } from './format.ts'

/** The encoding of a payload type. */
type Encoding = Pick<RtpFormat, 'encodingName' | 'clockRate' | 'channels'>

/** The highest payload type, of 7 bits. */
export const MAX_PAYLOAD_TYPE = 127

/** The payload types that need no `rtpmap` (RFC 3551 6, tables 4 and 5). */
const STATIC_PAYLOAD_TYPES: ReadonlyMap<number, Encoding> = new Map([
  [0, encoding('PCMU', 8000)],
  [3, encoding('GSM', 8000)],
  [4, encoding('G723', 8000)],
  [5, encoding('DVI4', 8000)],
  [6, encoding('DVI4', 16_000)],
  [7, encoding('LPC', 8000)],
  [8, encoding('PCMA', 8000)],
  // G.722 has 16,000 samples a second; that it counts half of them is an old mistake (RFC 3551 4.5.2).
  [9, encoding('G722', 8000)],
  [10, encoding('L16', 44_100, 2)],
  [11, encoding('L16', 44_100)],
  [12, encoding('QCELP', 8000)],
  [13, encoding('CN', 8000)],
  [14, encoding('MPA', 90_000)],
  [15, encoding('G728', 8000)],
  [16, encoding('DVI4', 11_025)],
  [17, encoding('DVI4', 22_050)],
  [18, encoding('G729', 8000)],
  [25, encoding('CELB', 90_000)],
  [26, encoding('JPEG', 90_000)],
  [28, encoding('NV', 90_000)],
  [31, encoding('H261', 90_000)],
  [32, encoding('MPV', 90_000)],
  [33, encoding('MP2T', 90_000)],
  [34, encoding('H263', 90_000)],
])

function encoding(encodingName: string, clockRate: number, channels = 1): Encoding {
  return { encodingName, clockRate, channels }
}

/** Returns the encoding of a payload type without an `rtpmap`; undefined for those that need one. */
export function staticEncoding(payloadType: number): Encoding | undefined {
  return STATIC_PAYLOAD_TYPES.get(payloadType)
}

/** The clock rate of an encoding that has a static payload type. */
export function staticClockRate(encodingName: string): number | undefined {
  return STATIC_PAYLOAD_TYPES.values().find((known) => known.encodingName === encodingName)?.clockRate
}

/** The payload type that stands for just this; undefined when there is none. */
export function staticPayloadType({ encodingName, clockRate, channels }: Encoding): number | undefined {
  const found = STATIC_PAYLOAD_TYPES.entries().find(
    ([, known]) => known.encodingName === encodingName && known.clockRate === clockRate && known.channels === channels,
  )
  return found?.[0]
}
