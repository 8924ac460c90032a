import { MalformedError } from 'sluice/sdk/media'
import { MESSAGE_TYPE } from './message-type.ts'
import type { MessageBody, RawMessage } from './raw-message.ts'

/** Far more than the second or two of media that servers put into one. */
export const MAX_AGGREGATED_MESSAGES = 4096

const HEADER_SIZE_BYTES = 11
const BACK_POINTER_SIZE_BYTES = 4

/** Several messages in one, each as an FLV tag with its size behind it (RTMP 1.0 §7.1.6). */
export type Aggregate = { readonly kind: 'aggregate'; readonly messages: readonly RawMessage[] }

/**
 * Splits an aggregate. The payloads are views. The messages get the aggregate's streams, and its time plus the step
 * from the first message's time: the times inside may start anywhere.
 *
 * ```
 * type 8 | size 24 | timestamp 24 | timestamp's high byte 8 | message stream 24 | payload | size of all that 32
 * ```
 * @throws {MalformedError} when a message is cut off, or is an aggregate itself.
 */
export function parseAggregate(aggregate: RawMessage): Aggregate {
  const bytes = aggregate.payload
  const messages: RawMessage[] = []
  let firstTimestamp: number | undefined
  for (let offset = 0; offset < bytes.length;) {
    if (messages.length === MAX_AGGREGATED_MESSAGES) {
      throw new MalformedError(`aggregate of more than ${MAX_AGGREGATED_MESSAGES} messages`)
    }
    const start = offset + HEADER_SIZE_BYTES
    if (start > bytes.length) throw new MalformedError(`aggregate cut off at byte ${offset} of ${bytes.length}`)
    const typeId = bytes[offset]!
    if (typeId === MESSAGE_TYPE.aggregate) throw new MalformedError('aggregate within an aggregate')
    const end = start + bytes.readUIntBE(offset + 1, 3)
    if (end > bytes.length) throw new MalformedError(`aggregate cut off at byte ${start} of ${bytes.length}`)
    const inner = ((bytes[offset + 7]! << 24) | bytes.readUIntBE(offset + 4, 3)) >>> 0
    firstTimestamp ??= inner
    const timestamp = (aggregate.timestamp + inner - firstTimestamp) >>> 0
    messages.push({ ...aggregate, typeId, timestamp, payload: bytes.subarray(start, end) })
    // Some servers leave out the last size.
    offset = end + BACK_POINTER_SIZE_BYTES
  }
  return { kind: 'aggregate', messages }
}

/** The times inside are those of the messages, so the aggregate is to be sent with the first one's. */
export function serializeAggregate(aggregate: Aggregate): MessageBody {
  const parts: Buffer[] = []
  for (const { typeId, timestamp, messageStreamId, payload } of aggregate.messages) {
    const header = Buffer.alloc(HEADER_SIZE_BYTES)
    header[0] = typeId
    header.writeUIntBE(payload.length, 1, 3)
    header.writeUIntBE(timestamp & 0xff_ff_ff, 4, 3)
    header[7] = timestamp >>> 24
    header.writeUIntBE(messageStreamId & 0xff_ff_ff, 8, 3)
    const backPointer = Buffer.alloc(BACK_POINTER_SIZE_BYTES)
    backPointer.writeUInt32BE(HEADER_SIZE_BYTES + payload.length)
    parts.push(header, payload, backPointer)
  }
  return { typeId: MESSAGE_TYPE.aggregate, payload: Buffer.concat(parts) }
}
