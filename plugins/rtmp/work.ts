import { isMediaType, MESSAGE_TYPE } from './wire/message/message-type.ts'
import type { RawMessage } from './wire/message/raw-message.ts'

/**
 * The work that one connection may do in a turn of the event loop before the others have theirs, in units of about the cost of a media
 * message, some 10 µs. A publisher sends a few messages in a turn.
 */
export const WORK_PER_TURN = 64

/** This many chunks cost one unit, whatever messages they make; common chunks are far larger. */
export const CHUNKS_PER_WORK = 16
/** The cost of a command, which is parsed and may be answered; each {@link COMMAND_BYTES_PER_WORK} bytes cost one unit more. */
const COMMAND_WORK = 4
const COMMAND_BYTES_PER_WORK = 512

/** The cost of a message, in addition to that of its chunks. */
export function workOf({ typeId, payload }: RawMessage): number {
  // An aggregate may be thousands of messages, so it is the turn's last.
  if (typeId === MESSAGE_TYPE.aggregate) return WORK_PER_TURN
  if (isMediaType(typeId) || typeId <= MESSAGE_TYPE.setPeerBandwidth) return 1
  return COMMAND_WORK + payload.length / COMMAND_BYTES_PER_WORK
}
