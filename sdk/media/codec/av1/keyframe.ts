import { AV1_OBU_TYPE, splitObus } from './obu.ts'
import type { Av1Obu } from './obu.ts'

/**
 * Returns true when a decoder that knows the sequence header can start at this temporal unit: its first frame is a key frame
 * that is shown (AV1 specification 7.6.1).
 * @throws {MalformedError} when the unit cannot be cut into OBUs.
 */
export function isAv1Keyframe(temporalUnit: Buffer): boolean {
  const obus = splitObus(temporalUnit)
  const frame = obus.find(({ type }) => type === AV1_OBU_TYPE.FRAME || type === AV1_OBU_TYPE.FRAME_HEADER)
  const head = frame?.payload[0]
  if (head === undefined) return false
  // show_existing_frame (1) | frame_type (2), 0 is KEY_FRAME | show_frame (1)
  return head >> 4 === 0b0001 || obus.some(isReducedStillPicture)
}

// Such a sequence has only key frames, and their headers leave these fields out.
function isReducedStillPicture({ type, payload }: Av1Obu): boolean {
  // seq_profile (3) | still_picture (1) | reduced_still_picture_header (1)
  return type === AV1_OBU_TYPE.SEQUENCE_HEADER && ((payload[0] ?? 0) & 0x08) !== 0
}
