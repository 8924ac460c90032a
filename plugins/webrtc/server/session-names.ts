import { randomBytes } from 'node:crypto'
import type { SessionNames } from '../sdp/local-description.ts'

/** Names for the descriptions of one session. */
export function createSessionNames(): SessionNames {
  const bytes = randomBytes(16)
  // A number of at most 63 bits (RFC 8829 5.2.1).
  return { sessionId: String(bytes.readBigUInt64BE(0) >> 1n), cname: bytes.toString('base64url', 8) }
}

/** Names an RTP stream (RFC 3550 8): 1 to 2³² − 1. */
export function randomSsrc(): number {
  return randomBytes(4).readUInt32BE(0) || 1
}
