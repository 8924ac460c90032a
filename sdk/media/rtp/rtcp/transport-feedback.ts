import { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'
import { RTCP_TYPE } from './raw-packet.ts'
import type { RawRtcpPacket } from './raw-packet.ts'

/** Entries of a generic NACK, each of which names up to 17 packets: more than a packet of 1500 bytes has. */
export const RTCP_MAX_NACK_ENTRIES = 400

const GENERIC_NACK = 1
const ENTRY_SIZE_BYTES = 4
/** The number of packets that an entry can name behind its first one. */
const BITMASK_SIZE = 16

type FeedbackFields = {
  /** The SSRC of the receiver that sends the feedback. */
  readonly senderSsrc: number
  /** The SSRC of the source of the packets. */
  readonly mediaSsrc: number
}

/**
 * Asks for packets again (RFC 4585 6.2.1): SSRCs (32 each) | entries: sequence number (16), bits of the 16 that follow it,
 * the next one in the lowest (16).
 */
export type GenericNack = FeedbackFields & {
  readonly kind: 'genericNack'
  /** 16 bits each. */
  readonly sequenceNumbers: readonly number[]
}

/** Feedback on how packets arrive, of another format (RFC 4585 6.2), for example 15 of congestion control. */
export type TransportFeedback = FeedbackFields & {
  readonly kind: 'transportFeedback'
  /** 0–31, but not 1. */
  readonly format: number
  /** Whole words of 4 bytes; a view. */
  readonly data: Buffer
}

/** @throws {MalformedError} when it ends early, or has too many entries. */
export function parseTransportFeedback({ count, body }: RawRtcpPacket): GenericNack | TransportFeedback {
  const reader = new ByteReader(body)
  const senderSsrc = reader.readUint(4)
  const mediaSsrc = reader.readUint(4)
  if (count === GENERIC_NACK) {
    return { kind: 'genericNack', senderSsrc, mediaSsrc, sequenceNumbers: readSequenceNumbers(reader) }
  }
  const data = reader.readBytes(reader.bytesLeft)
  return { kind: 'transportFeedback', format: count, senderSsrc, mediaSsrc, data }
}

function readSequenceNumbers(reader: ByteReader): number[] {
  if (reader.bytesLeft > RTCP_MAX_NACK_ENTRIES * ENTRY_SIZE_BYTES) {
    throw new MalformedError(`generic NACK with ${reader.bytesLeft} bytes of entries`)
  }
  const sequenceNumbers: number[] = []
  while (reader.bytesLeft > 0) {
    const first = reader.readUint(2)
    const bitmask = reader.readUint(2)
    sequenceNumbers.push(first)
    for (let bit = 0; bit < BITMASK_SIZE; bit += 1) {
      if ((bitmask >> bit) & 1) sequenceNumbers.push((first + 1 + bit) & 0xffff)
    }
  }
  return sequenceNumbers
}

export function serializeTransportFeedback(feedback: GenericNack | TransportFeedback): RawRtcpPacket {
  const head = Buffer.allocUnsafe(8)
  head.writeUInt32BE(feedback.mediaSsrc, head.writeUInt32BE(feedback.senderSsrc, 0))
  const isNack = feedback.kind === 'genericNack'
  const data = isNack ? serializeEntries(feedback.sequenceNumbers) : feedback.data
  const count = isNack ? GENERIC_NACK : feedback.format
  return { type: RTCP_TYPE.transportFeedback, count, body: Buffer.concat([head, data]) }
}

/** Packets that follow each other closely, in ascending order, share an entry. */
function serializeEntries(sequenceNumbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(sequenceNumbers.length * ENTRY_SIZE_BYTES)
  let end = 0
  let first = 0
  let lastBit = BITMASK_SIZE
  for (const sequenceNumber of sequenceNumbers) {
    const bit = ((sequenceNumber - first) & 0xffff) - 1
    if (bit > lastBit && bit < BITMASK_SIZE) {
      bytes.writeUInt16BE(bytes.readUInt16BE(end - 2) | (1 << bit), end - 2)
      lastBit = bit
    } else {
      first = sequenceNumber
      end = bytes.writeUInt32BE(first * 2 ** 16, end)
      lastBit = -1
    }
  }
  return bytes.subarray(0, end)
}
