import { createHmac, timingSafeEqual } from 'node:crypto'

/** A cookie is valid in the minute in which it was made and in the next. */
const LIFETIME_US = 60_000_000

const COOKIE_BYTES = 4

/** The address and port that a datagram came from. */
export type PeerAddress = { remoteAddress: string; remotePort: number }

/**
 * Makes the cookie that proves that a caller receives at its address (draft-sharabayko-srt-01 section 4.3.1.1): the listener keeps no state
 * until it comes back.
 */
export function createCookie(secret: Buffer, peer: PeerAddress, nowUs: number): number {
  return sign(secret, peer, Math.floor(nowUs / LIFETIME_US)).readUInt32BE(0)
}

/** True when the cookie was made for the peer with the secret, and is not too old. */
export function isFreshCookie(cookie: number, secret: Buffer, peer: PeerAddress, nowUs: number): boolean {
  const bytes = Buffer.allocUnsafe(COOKIE_BYTES)
  bytes.writeUInt32BE(cookie, 0)
  const minute = Math.floor(nowUs / LIFETIME_US)
  const isOfThis = timingSafeEqual(bytes, sign(secret, peer, minute))
  const isOfLast = timingSafeEqual(bytes, sign(secret, peer, minute - 1))
  return isOfThis || isOfLast
}

function sign(secret: Buffer, { remoteAddress, remotePort }: PeerAddress, minute: number): Buffer {
  const text = `${remoteAddress} ${remotePort} ${minute}`
  return createHmac('sha256', secret).update(text).digest().subarray(0, COOKIE_BYTES)
}
