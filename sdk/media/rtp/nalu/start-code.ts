import { splitAnnexB } from '../../codec/nalu.ts'

const START_CODE = Buffer.from([0, 0, 1])

/**
 * Cuts a NAL unit as it was sent at the start codes in it, which no valid one has: some cameras send several with start codes
 * between them, or one with a start code before it. The units are views.
 * @throws {MalformedError} when there are too many
 */
export function splitAtStartCodes(bytes: Buffer): readonly Buffer[] {
  const startCode = bytes.indexOf(START_CODE)
  if (startCode < 0) return [bytes]
  let end = startCode
  while (end > 0 && bytes[end - 1] === 0) end -= 1
  const others = splitAnnexB(bytes.subarray(startCode))
  return end === 0 ? others : [bytes.subarray(0, end), ...others]
}
