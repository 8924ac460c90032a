import { MalformedError } from '../errors.ts'
import type { RtpHeaderExtension } from './packet.ts'

/** The number of valid identifiers. */
export const RTP_MAX_EXTENSION_ELEMENTS = 255

const ONE_BYTE_PROFILE = 0xbede
const ONE_BYTE_MAX_ID = 14
const ONE_BYTE_MAX_SIZE_BYTES = 16
/** The identifier after which nothing is to be read (RFC 8285 4.2). */
const ONE_BYTE_STOP_ID = 15
/** The 12 bits before those that the application may use. */
const TWO_BYTE_PROFILE = 0x100
const TWO_BYTE_MAX_SIZE_BYTES = 255
const PADDING = 0

/** One element of a header extension (RFC 8285 4.1). */
export type RtpExtensionElement = {
  /** The identifier that `extmap` maps to a kind of element: 1–14 where all elements have one-byte headers, else 1–255. */
  readonly id: number
  /** The bytes of the element: at most 255; 1–16 for one-byte headers. */
  readonly data: Buffer
}

/**
 * Gives the elements of an extension as views, whichever of the two forms it has; none where it has another profile.
 * @throws {MalformedError} when an element is longer than the extension, or there are too many.
 */
export function parseRtpExtensionElements({ profile, data }: RtpHeaderExtension): RtpExtensionElement[] {
  if (profile === ONE_BYTE_PROFILE) return parseElements(data, 1)
  return profile >> 4 === TWO_BYTE_PROFILE ? parseElements(data, 2) : []
}

// One byte: id (4) | size − 1 (4). Two bytes: id (8) | size (8). Padding is a single byte of 0 in both.
function parseElements(data: Buffer, headerSizeBytes: 1 | 2): RtpExtensionElement[] {
  const elements: RtpExtensionElement[] = []
  for (let offset = 0; offset < data.length;) {
    const first = data[offset]!
    if (first === PADDING) {
      offset += 1
      continue
    }
    const id = headerSizeBytes === 1 ? first >> 4 : first
    if (headerSizeBytes === 1 && (id === 0 || id === ONE_BYTE_STOP_ID)) break
    const sizeBytes = headerSizeBytes === 1 ? (first & 15) + 1 : (data[offset + 1] ?? 0)
    const start = offset + headerSizeBytes
    if (start + sizeBytes > data.length || elements.length === RTP_MAX_EXTENSION_ELEMENTS) {
      throw new MalformedError(`RTP extension element ${elements.length} at byte ${offset} of ${data.length}`)
    }
    elements.push({ id, data: data.subarray(start, start + sizeBytes) })
    offset = start + sizeBytes
  }
  return elements
}

/**
 * Makes an extension of elements: with one-byte headers where all of them fit these, else with two-byte ones, filled up
 * to whole words.
 * @throws {MalformedError} when an element has no valid identifier or is too long.
 */
export function serializeRtpExtensionElements(elements: readonly RtpExtensionElement[]): RtpHeaderExtension {
  const headerSizeBytes = elements.every(fitsOneByteHeader) ? 1 : 2
  const sizeBytes = elements.reduce((sum, { data }) => sum + headerSizeBytes + data.length, 0)
  const bytes = Buffer.alloc(Math.ceil(sizeBytes / 4) * 4)
  let offset = 0
  for (const { id, data } of elements) {
    if (id < 1 || id > 255 || data.length > TWO_BYTE_MAX_SIZE_BYTES) {
      throw new MalformedError(`RTP extension element ${id} of ${data.length} bytes`)
    }
    if (headerSizeBytes === 1) {
      bytes[offset] = (id << 4) | (data.length - 1)
    } else {
      bytes[offset] = id
      bytes[offset + 1] = data.length
    }
    offset += headerSizeBytes
    offset += data.copy(bytes, offset)
  }
  return { profile: headerSizeBytes === 1 ? ONE_BYTE_PROFILE : TWO_BYTE_PROFILE << 4, data: bytes }
}

function fitsOneByteHeader({ id, data }: RtpExtensionElement): boolean {
  return id <= ONE_BYTE_MAX_ID && data.length > 0 && data.length <= ONE_BYTE_MAX_SIZE_BYTES
}
