import { MalformedError } from '../../errors.ts'

const PREFIX = 0x7fe0
const PREFIX_MASK = 0xffe0
const START_TRIM = 0x10
const END_TRIM = 0x08
const EXTENSION = 0x04
const TRIM_SIZE_BYTES = 2
const FLAGS_SIZE_BYTES = 2
const FULL = 0xff

/**
 * The header before each Opus packet in a PES packet ("Opus in MPEG-TS", opus-codec.org draft 0.1.3, table 5-1):
 *
 *     prefix 0x3ff (11) | start trim (1) | end trim (1) | extension (1) | reserved (2)
 *     | size: bytes of 255 and a last one below, their sum | samples to trim (16 each) | extension: length and bytes
 */
type OpusControlHeader = {
  readonly headerSizeBytes: number
  readonly packetSizeBytes: number
}

/** @throws {MalformedError} when there is none, or the packet is longer than the bytes. */
export function parseOpusControlHeader(bytes: Buffer, offset: number): OpusControlHeader {
  let position = offset + FLAGS_SIZE_BYTES
  if (position >= bytes.length) throw new MalformedError(`Opus control header cut off at byte ${offset}`)
  const flags = bytes.readUInt16BE(offset)
  if ((flags & PREFIX_MASK) !== PREFIX) throw new MalformedError(`no Opus control header: ${flags.toString(16)}`)
  let packetSizeBytes = 0
  while (bytes[position] === FULL) {
    packetSizeBytes += FULL
    position += 1
  }
  packetSizeBytes += bytes[position] ?? 0
  position += 1
  if ((flags & START_TRIM) !== 0) position += TRIM_SIZE_BYTES
  if ((flags & END_TRIM) !== 0) position += TRIM_SIZE_BYTES
  if ((flags & EXTENSION) !== 0) position += 1 + (bytes[position] ?? 0)
  if (position + packetSizeBytes > bytes.length) {
    throw new MalformedError(`Opus packet of ${packetSizeBytes} bytes at byte ${position} of ${bytes.length}`)
  }
  return { headerSizeBytes: position - offset, packetSizeBytes }
}

/** Serializes a header that trims nothing. */
export function serializeOpusControlHeader(packetSizeBytes: number): Buffer {
  const fullBytes = Math.floor(packetSizeBytes / FULL)
  const bytes = Buffer.alloc(FLAGS_SIZE_BYTES + fullBytes + 1, FULL)
  bytes.writeUInt16BE(PREFIX, 0)
  bytes[bytes.length - 1] = packetSizeBytes % FULL
  return bytes
}
