import type { RtpPayload } from '../packetizer.ts'
import type { NaluSyntax } from './syntax.ts'

/** The headers of a codec's payload structures. */
export type NaluPayloadHeaders = {
  readonly syntax: NaluSyntax
  /** The header before the sizes and NAL units of an aggregation packet. */
  readonly aggregation: (nalus: readonly Buffer[]) => Buffer
  /** The headers before a fragment of a NAL unit. */
  readonly fragment: (nalu: Buffer, start: boolean, end: boolean) => Buffer
}

const SIZE_FIELD_BYTES = 2

/**
 * Cuts the NAL units of an access unit into payloads: what fits goes alone, except that parameter sets, SEI messages and
 * other small ones that are no slices go together; what does not fit goes in fragments.
 */
export function naluPayloads(
  headers: NaluPayloadHeaders,
  nalus: readonly Buffer[],
  maxPayloadBytes: number,
): readonly RtpPayload[] {
  const payloads: RtpPayload[] = []
  for (let index = 0; index < nalus.length;) {
    const count = countTogether(headers.syntax, nalus, index, maxPayloadBytes)
    const last = index + count === nalus.length
    const nalu = nalus[index]!
    if (count > 1) payloads.push(aggregate(headers, nalus.slice(index, index + count), last))
    else if (nalu.length <= maxPayloadBytes) payloads.push({ parts: [nalu], sizeBytes: nalu.length, marker: last })
    else pushFragments(payloads, headers, nalu, maxPayloadBytes, last)
    index += count
  }
  return payloads
}

/** Returns the number of NAL units from one on that go in the same packet. */
function countTogether(syntax: NaluSyntax, nalus: readonly Buffer[], from: number, maxPayloadBytes: number): number {
  let sizeBytes = syntax.headerSizeBytes
  let count = 0
  for (; from + count < nalus.length; count++) {
    const nalu = nalus[from + count]!
    sizeBytes += SIZE_FIELD_BYTES + nalu.length
    if (sizeBytes > maxPayloadBytes || syntax.isSlice(syntax.typeOf(nalu))) break
  }
  return Math.max(1, count)
}

function aggregate(headers: NaluPayloadHeaders, nalus: readonly Buffer[], marker: boolean): RtpPayload {
  const head = headers.aggregation(nalus)
  const parts = [head]
  let sizeBytes = head.length
  for (const nalu of nalus) {
    parts.push(Buffer.from([nalu.length >> 8, nalu.length & 0xff]), nalu)
    sizeBytes += SIZE_FIELD_BYTES + nalu.length
  }
  return { parts, sizeBytes, marker }
}

function pushFragments(
  payloads: RtpPayload[],
  { syntax, fragment }: NaluPayloadHeaders,
  nalu: Buffer,
  maxPayloadBytes: number,
  last: boolean,
): void {
  const middle = fragment(nalu, false, false)
  const room = maxPayloadBytes - middle.length
  for (let from = syntax.headerSizeBytes; from < nalu.length; from += room) {
    const part = nalu.subarray(from, from + room)
    const start = from === syntax.headerSizeBytes
    const end = from + room >= nalu.length
    const head = start || end ? fragment(nalu, start, end) : middle
    payloads.push({ parts: [head, part], sizeBytes: head.length + part.length, marker: last && end })
  }
}
