import { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'
import { RTCP_TYPE } from './raw-packet.ts'
import type { RawRtcpPacket } from './raw-packet.ts'

const MAX_REASON_SIZE_BYTES = 255

/** Sources that end (RFC 3550 6.6): SSRCs (32 each) | size of the reason (8) | reason. */
export type Bye = {
  readonly kind: 'bye'
  /** The sources, at most 31. */
  readonly ssrcs: readonly number[]
  /** The reason, at most 255 bytes of UTF-8; mostly empty. */
  readonly reason: string
}

/** @throws {MalformedError} when it ends early. */
export function parseBye({ count, body }: RawRtcpPacket): Bye {
  const reader = new ByteReader(body)
  const ssrcs: number[] = []
  for (let left = count; left > 0; left -= 1) ssrcs.push(reader.readUint(4))
  const reason = reader.bytesLeft === 0 ? '' : reader.readBytes(reader.readUint(1)).toString()
  return { kind: 'bye', ssrcs, reason }
}

/** @throws {MalformedError} when the reason is too long. */
export function serializeBye({ ssrcs, reason }: Bye): RawRtcpPacket {
  const text = Buffer.from(reason)
  if (text.length > MAX_REASON_SIZE_BYTES) throw new MalformedError(`reason of ${text.length} bytes to leave`)
  const reasonSizeBytes = text.length === 0 ? 0 : Math.ceil((1 + text.length) / 4) * 4
  const body = Buffer.alloc(ssrcs.length * 4 + reasonSizeBytes)
  let offset = 0
  for (const ssrc of ssrcs) offset = body.writeUInt32BE(ssrc, offset)
  if (text.length > 0) text.copy(body, body.writeUInt8(text.length, offset))
  return { type: RTCP_TYPE.bye, count: ssrcs.length, body }
}
