import { HEADER_BYTES } from './packet-header.ts'

/** The key that a payload is encrypted with: none, the even or the odd one (draft-sharabayko-srt-01 3.1, field KK). */
export type EncryptionFlag = 0 | 1 | 2

/** The last message number; the first is 1 (3.1). */
export const MAX_MESSAGE_NUMBER = 0x03ff_ffff
/** A packet that is a message by itself, as all packets of live mode are (field PP). */
const WHOLE_MESSAGE = 3 << 30
const KEY_SHIFT = 27
const RETRANSMITTED = 1 << 26

/**
 * The header of a data packet (draft-sharabayko-srt-01 3.1):
 * ```
 * |0|                 sequence number (31)                        |
 * |PP |O|KK |R|             message number (26)                   |
 * |                        time stamp                             |
 * |                   destination socket id                       |
 * ```
 */
export type DataHeader = {
  readonly sequence: number
  readonly messageNumber: number
  readonly keyFlag: EncryptionFlag
  readonly isRetransmitted: boolean
  /** Microseconds since the sender's start, of which 32 bits are sent. */
  readonly timestamp: number
  readonly destination: number
}

/** A parsed data packet. */
export type DataPacket = DataHeader & { readonly payload: Buffer }

/** Writes the header of a packet that is a whole message, {@link HEADER_BYTES} long. */
export function writeDataHeader(bytes: Buffer, at: number, header: DataHeader): void {
  const { sequence, messageNumber, keyFlag, isRetransmitted, timestamp, destination } = header
  bytes.writeInt32BE(sequence, at)
  const flags = WHOLE_MESSAGE | (keyFlag << KEY_SHIFT) | (isRetransmitted ? RETRANSMITTED : 0)
  bytes.writeInt32BE(flags | messageNumber, at + 4)
  bytes.writeUInt32BE(timestamp, at + 8)
  bytes.writeUInt32BE(destination, at + 12)
}

/**
 * Parses a datagram that is a data packet; its payload is a view.
 * @returns undefined for one that is too short, or part of a message of several packets, which live mode does not have
 */
export function parseDataPacket(datagram: Buffer): DataPacket | undefined {
  if (datagram.length <= HEADER_BYTES) return undefined
  const flags = datagram.readInt32BE(4)
  if ((flags & WHOLE_MESSAGE) !== WHOLE_MESSAGE) return undefined
  const keyFlag = (flags >>> KEY_SHIFT) & 3
  if (keyFlag === 3) return undefined
  return {
    sequence: datagram.readUInt32BE(0),
    messageNumber: flags & MAX_MESSAGE_NUMBER,
    keyFlag: keyFlag as EncryptionFlag,
    isRetransmitted: (flags & RETRANSMITTED) !== 0,
    timestamp: datagram.readUInt32BE(8),
    destination: datagram.readUInt32BE(12),
    payload: datagram.subarray(HEADER_BYTES),
  }
}
