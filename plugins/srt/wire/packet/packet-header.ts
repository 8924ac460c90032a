/** Size of the header that every SRT packet begins with (draft-sharabayko-srt-01 section 3). */
export const HEADER_BYTES = 16

/** Types of control packets (draft-sharabayko-srt-01 section 3.2, table 1). */
export const CONTROL_TYPE = {
  handshake: 0x0000,
  keepAlive: 0x0001,
  acknowledgement: 0x0002,
  lossReport: 0x0003,
  congestionWarning: 0x0004,
  shutdown: 0x0005,
  acknowledgedAcknowledgement: 0x0006,
  dropRequest: 0x0007,
  peerError: 0x0008,
  userDefined: 0x7fff,
} as const

const CONTROL_BIT = 0x8000

/** The header of a control packet. */
export type ControlHeader = {
  type: number
  subtype: number
  /** The second word; its meaning depends on the type. */
  information: number
  /** Microseconds since the start of the sender, 32 bits. */
  timestamp: number
  /** Socket id of the receiver; 0 asks for a new connection. */
  destination: number
}

/** True for a control packet; false for a data packet, and for a datagram that is too short for either. */
export function isControl(datagram: Buffer): boolean {
  return datagram.length >= HEADER_BYTES && datagram[0]! >= 0x80
}

/**
 * The socket id that a packet is for.
 * @param datagram HEADER_BYTES or longer
 */
export function destinationOf(datagram: Buffer): number {
  return datagram.readUInt32BE(12)
}

/**
 * Stamps a datagram that is sent again with the time of this sending.
 * @param timestamp microseconds since the start of the sender; its low 32 bits are written
 */
export function stampAgain(datagram: Buffer, timestamp: number): void {
  datagram.writeUInt32BE(timestamp % 2 ** 32, 8)
}

/** @param datagram a control packet, HEADER_BYTES or longer */
export function readControlHeader(datagram: Buffer): ControlHeader {
  return {
    type: datagram.readUInt16BE(0) - CONTROL_BIT,
    subtype: datagram.readUInt16BE(2),
    information: datagram.readUInt32BE(4),
    timestamp: datagram.readUInt32BE(8),
    destination: datagram.readUInt32BE(12),
  }
}

/** Writes the header of a control packet into the first {@link HEADER_BYTES}. */
export function writeControlHeader(datagram: Buffer, header: ControlHeader): void {
  datagram.writeUInt16BE(CONTROL_BIT + header.type, 0)
  datagram.writeUInt16BE(header.subtype, 2)
  datagram.writeUInt32BE(header.information, 4)
  datagram.writeUInt32BE(header.timestamp % 2 ** 32, 8)
  datagram.writeUInt32BE(header.destination, 12)
}

/** A control packet with a header and the bytes after it, which are copied. */
export function serializeControl(header: ControlHeader, content: Buffer): Buffer {
  const datagram = Buffer.allocUnsafe(HEADER_BYTES + content.length)
  writeControlHeader(datagram, header)
  content.copy(datagram, HEADER_BYTES)
  return datagram
}
