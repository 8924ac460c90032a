import type { RtpPayload } from './packetizer.ts'

/**
 * Cuts a frame into payloads with a payload header of one byte each.
 * @param headerOf Gives the header of the first, the last or another payload
 */
export function fragmentPayloads(
  data: Buffer,
  maxPayloadBytes: number,
  headerOf: (start: boolean, end: boolean) => Buffer,
): readonly RtpPayload[] {
  const payloads: RtpPayload[] = []
  const room = maxPayloadBytes - 1
  for (let from = 0; from < data.length; from += room) {
    const part = data.subarray(from, from + room)
    const end = from + room >= data.length
    payloads.push({ parts: [headerOf(from === 0, end), part], sizeBytes: 1 + part.length, marker: end })
  }
  return payloads
}
