import { MalformedError } from 'sluice/sdk/media'

/** Flags of an extension message (draft-sharabayko-srt-01 section 3.2.1.1.1, table 6). */
export const TERMS_FLAG = {
  sendsTimes: 0x01,
  deliversByTimes: 0x02,
  encrypts: 0x04,
  dropsTooLate: 0x08,
  reportsLossPeriodically: 0x10,
  hasRetransmitFlag: 0x20,
  isStream: 0x40,
  filters: 0x80,
} as const

const SIZE_BYTES = 12
const MAX_LATENCY_MS = 0xffff

/** Content of HSREQ and HSRSP, the handshake extension message (draft-sharabayko-srt-01 section 3.2.1.1). */
export type ExtensionMessage = {
  /** SRT version of the sender: 0x010501 is 1.5.1. */
  version: number
  /** Bits of TERMS_FLAG. */
  flags: number
  /** The latency with which the sender of this message receives. */
  receiveLatencyMs: number
  /** The latency that the sender of this message asks of its peer as a receiver. */
  sendLatencyMs: number
}

/** @throws {MalformedError} on less than 3 words */
export function parseExtensionMessage(bytes: Buffer): ExtensionMessage {
  if (bytes.length < SIZE_BYTES) throw new MalformedError(`SRT extension message of ${bytes.length} bytes`)
  return {
    version: bytes.readUInt32BE(0),
    flags: bytes.readUInt32BE(4),
    receiveLatencyMs: bytes.readUInt16BE(8),
    sendLatencyMs: bytes.readUInt16BE(10),
  }
}

/** Latencies above 65,535 ms are written as that. */
export function serializeExtensionMessage(message: ExtensionMessage): Buffer {
  const bytes = Buffer.allocUnsafe(SIZE_BYTES)
  bytes.writeUInt32BE(message.version, 0)
  bytes.writeUInt32BE(message.flags, 4)
  bytes.writeUInt16BE(Math.min(message.receiveLatencyMs, MAX_LATENCY_MS), 8)
  bytes.writeUInt16BE(Math.min(message.sendLatencyMs, MAX_LATENCY_MS), 10)
  return bytes
}
