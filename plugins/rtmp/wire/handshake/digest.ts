import { createHmac } from 'node:crypto'

/** Size of C1, S1, C2 and S2 (RTMP 1.0 §5.2.3). */
export const HANDSHAKE_PACKET_SIZE_BYTES = 1536
const DIGEST_SIZE_BYTES = 32

/** The common end of both genuine keys. */
const KEY_TAIL = Buffer.from('f0eec24a8068bee82e00d0d1029e7e576eec5d2d29806fab93b8e636cfeb31ae', 'hex')

/** One side's keys: the text alone signs its own packet 1, text and tail the answer to the other side's. */
export type HandshakeKey = { readonly text: Buffer; readonly full: Buffer }

/** Signs C1 and C2. */
export const CLIENT_KEY = handshakeKey('Genuine Adobe Flash Player 001')
/** Signs S1 and S2. */
export const SERVER_KEY = handshakeKey('Genuine Adobe Flash Media Server 001')

/** The offset of the block that holds the digest: scheme 0 has it before the key block, scheme 1 after it. */
const DIGEST_BLOCK_OFFSETS = [8, 772] as const
export type DigestScheme = 0 | 1

/** A digest found in a packet 1. The bytes are a view. */
export type PacketDigest = { readonly scheme: DigestScheme; readonly bytes: Buffer }

/**
 * Finds the digest that the other side put into its C1 or S1, or `null` when there is none: a simple handshake.
 * (Adobe's "complex" handshake: RTMP 1.0 leaves it out, all implementations agree on it.)
 */
export function findDigest(packet: Buffer, key: HandshakeKey): PacketDigest | null {
  for (const scheme of [0, 1] as const) {
    const offset = digestOffset(packet, scheme)
    const bytes = packet.subarray(offset, offset + DIGEST_SIZE_BYTES)
    if (packetDigest(packet, offset, key).equals(bytes)) return { scheme, bytes }
  }
  return null
}

/** Writes the digest into a C1 or S1 of this side, in place, and returns it as a view. */
export function writeDigest(packet: Buffer, scheme: DigestScheme, key: HandshakeKey): Buffer {
  const offset = digestOffset(packet, scheme)
  packetDigest(packet, offset, key).copy(packet, offset)
  return packet.subarray(offset, offset + DIGEST_SIZE_BYTES)
}

/** Signs a C2 or S2, in place: its last 32 bytes prove that the digest of the other side's packet 1 was read. */
export function signAnswer(packet: Buffer, digest: Buffer, key: HandshakeKey): void {
  answerSignature(packet, digest, key).copy(packet, packet.length - DIGEST_SIZE_BYTES)
}

/** True when a C2 or S2 is signed for the digest that was sent in packet 1. */
export function isSignedAnswer(packet: Buffer, digest: Buffer, key: HandshakeKey): boolean {
  return answerSignature(packet, digest, key).equals(packet.subarray(packet.length - DIGEST_SIZE_BYTES))
}

function handshakeKey(text: string): HandshakeKey {
  const bytes = Buffer.from(text, 'latin1')
  return { text: bytes, full: Buffer.concat([bytes, KEY_TAIL]) }
}

// The first four bytes of the block add up to the place of the digest in its remaining 760 bytes.
function digestOffset(packet: Buffer, scheme: DigestScheme): number {
  const block = DIGEST_BLOCK_OFFSETS[scheme]
  const sum = packet[block]! + packet[block + 1]! + packet[block + 2]! + packet[block + 3]!
  return block + 4 + (sum % 728)
}

function packetDigest(packet: Buffer, offset: number, key: HandshakeKey): Buffer {
  return createHmac('sha256', key.text)
    .update(packet.subarray(0, offset))
    .update(packet.subarray(offset + DIGEST_SIZE_BYTES))
    .digest()
}

function answerSignature(packet: Buffer, digest: Buffer, key: HandshakeKey): Buffer {
  const answerKey = createHmac('sha256', key.full).update(digest).digest()
  return createHmac('sha256', answerKey)
    .update(packet.subarray(0, packet.length - DIGEST_SIZE_BYTES))
    .digest()
}
