import { TS_PACKET_SIZE_BYTES, TS_PAYLOAD_SIZE_BYTES, writeTsPackets } from './packet.ts'
import { TS_SECTION_STUFFING } from './section.ts'

/** The section begins right behind it (ISO/IEC 13818-1 2.4.4.2). */
const POINTER = Buffer.of(0)

/** Returns the number of packets that a section takes. */
export function sectionPacketCount(section: Buffer): number {
  return Math.ceil((POINTER.length + section.length) / TS_PAYLOAD_SIZE_BYTES)
}

/**
 * Serializes a section into packets of its own. The last one is filled up behind the section, and not by an adaptation field
 * (2.4.4.1).
 * @param continuityCounter That of the first packet.
 */
export function serializeSectionPackets(pid: number, continuityCounter: number, section: Buffer): Buffer {
  const count = sectionPacketCount(section)
  const sizeBytes = count * TS_PAYLOAD_SIZE_BYTES
  const bytes = Buffer.allocUnsafe(count * TS_PACKET_SIZE_BYTES)
  const stuffing = Buffer.alloc(sizeBytes - POINTER.length - section.length, TS_SECTION_STUFFING)
  const packets = { pid, continuityCounter, randomAccess: false }
  writeTsPackets(bytes, 0, packets, [POINTER, section, stuffing], sizeBytes)
  return bytes
}
