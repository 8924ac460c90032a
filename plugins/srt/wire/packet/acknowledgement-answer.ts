import { CONTROL_TYPE, HEADER_BYTES, writeControlHeader } from './packet-header.ts'

/** libsrt sends a word of zeros behind the header. */
const answer = Buffer.alloc(HEADER_BYTES + 4)

/**
 * The answer to an acknowledgement (draft-sharabayko-srt-01 section 3.2.8): as `serializeControlPacket` makes it, in bytes that all
 * answers have in turn. No other control packet is sent as often.
 */
export function acknowledgementAnswer(number: number, timestamp: number, destination: number): Buffer {
  const type = CONTROL_TYPE.acknowledgedAcknowledgement
  writeControlHeader(answer, { type, subtype: 0, information: number, timestamp, destination })
  return answer
}
