import { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'
import { RTCP_TYPE } from './raw-packet.ts'
import type { RawRtcpPacket } from './raw-packet.ts'

/** Types of items (RFC 3550 12.2) that are written here. */
export const SDES_ITEM_TYPE = { cname: 1, tool: 6 } as const
/** The most items in one packet, of all its sources together. */
export const RTCP_MAX_SDES_ITEMS = 256

const END = 0
const ITEM_HEADER_SIZE_BYTES = 2
const MAX_TEXT_SIZE_BYTES = 255

/** One item of a source's description (RFC 3550 6.5): type (8) | size (8) | text. */
export type SourceDescriptionItem = {
  /** 1–255. */
  readonly type: number
  /** The text, at most 255 bytes of UTF-8. */
  readonly text: string
}

/** Items of one source: SSRC (32) | items | 0, up to the end of the word. */
export type SourceDescriptionChunk = {
  readonly ssrc: number
  readonly items: readonly SourceDescriptionItem[]
}

/** The descriptions of sources, such as their names (RFC 3550 6.5). */
export type SourceDescription = {
  readonly kind: 'sourceDescription'
  /** The descriptions, at most 31. */
  readonly chunks: readonly SourceDescriptionChunk[]
}

/** @throws {MalformedError} when it ends early, or has too many items. */
export function parseSourceDescription({ count, body }: RawRtcpPacket): SourceDescription {
  const reader = new ByteReader(body)
  const chunks: SourceDescriptionChunk[] = []
  let itemsLeft = RTCP_MAX_SDES_ITEMS
  for (let left = count; left > 0; left -= 1) {
    const ssrc = reader.readUint(4)
    const items = readItems(reader, itemsLeft)
    itemsLeft -= items.length
    chunks.push({ ssrc, items })
  }
  return { kind: 'sourceDescription', chunks }
}

function readItems(reader: ByteReader, maxItems: number): SourceDescriptionItem[] {
  const items: SourceDescriptionItem[] = []
  // The 0 behind the items is missing where some would have had to add a word for it.
  while (reader.bytesLeft > 0) {
    const type = reader.readUint(1)
    if (type === END) break
    if (items.length === maxItems) throw new MalformedError(`more than ${RTCP_MAX_SDES_ITEMS} items describe sources`)
    items.push({ type, text: reader.readBytes(reader.readUint(1)).toString() })
  }
  reader.readBytes(reader.bytesLeft % 4)
  return items
}

/** @throws {MalformedError} when an item has no valid type or is too long. */
export function serializeSourceDescription({ chunks }: SourceDescription): RawRtcpPacket {
  const body = Buffer.concat(chunks.map(serializeChunk))
  return { type: RTCP_TYPE.sourceDescription, count: chunks.length, body }
}

function serializeChunk({ ssrc, items }: SourceDescriptionChunk): Buffer {
  const texts = items.map(({ text }) => Buffer.from(text))
  const sizeBytes = texts.reduce((sum, text) => sum + ITEM_HEADER_SIZE_BYTES + text.length, 4 + 1)
  const bytes = Buffer.alloc(Math.ceil(sizeBytes / 4) * 4)
  let offset = bytes.writeUInt32BE(ssrc, 0)
  for (const [index, { type }] of items.entries()) {
    const text = texts[index]!
    if (type < 1 || type > 255 || text.length > MAX_TEXT_SIZE_BYTES) {
      throw new MalformedError(`item ${type} of ${text.length} bytes describes a source`)
    }
    offset = bytes.writeUInt8(type, offset)
    offset = bytes.writeUInt8(text.length, offset)
    offset += text.copy(bytes, offset)
  }
  return bytes
}
