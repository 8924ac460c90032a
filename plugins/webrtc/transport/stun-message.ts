import { createHmac, timingSafeEqual } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { crc32 } from 'node:zlib'

/** The class of a message (RFC 8489 5). */
export type StunClass = 'request' | 'indication' | 'success' | 'error'

/** A Binding message, with those attributes that connectivity checks use (RFC 8445 7). */
export type StunMessage = {
  readonly class: StunClass
  /** 12 bytes; a response has those of its request. */
  readonly transactionId: Buffer
  /** `receiver:sender`, by their username fragments. */
  readonly username?: string | undefined
  readonly priority?: number | undefined
  /** True when the sender nominates the pair. */
  readonly useCandidate?: boolean | undefined
  /** The sender's role, with the number that decides when both ends have the same role. */
  readonly role?: { readonly controlling: boolean; readonly tieBreaker: bigint } | undefined
  /** The error code, from 300 to 699. */
  readonly errorCode?: number | undefined
  /** The address that the request came from; it is written, and not read. */
  readonly mappedAddress?: { readonly address: string; readonly port: number } | undefined
}

/** The longest message that is read: connectivity checks have less than 200 bytes. */
export const MAX_STUN_BYTES = 1280
/** The most attributes that are read. */
const MAX_ATTRIBUTES = 24
/** Two username fragments of 256 characters and a colon (RFC 8839 5.4). */
const MAX_USERNAME_BYTES = 513

const HEADER_BYTES = 20
const COOKIE = 0x2112_a442
const FINGERPRINT_XOR = 0x5354_554e
const INTEGRITY_BYTES = 20
/** The sizes of the attributes with their own headers. */
const INTEGRITY_ATTRIBUTE_BYTES = 4 + INTEGRITY_BYTES
const FINGERPRINT_ATTRIBUTE_BYTES = 8
const ROLE_BYTES = 8
const ATTRIBUTE = {
  username: 0x0006,
  integrity: 0x0008,
  errorCode: 0x0009,
  mappedAddress: 0x0020,
  priority: 0x0024,
  useCandidate: 0x0025,
  fingerprint: 0x8028,
  controlled: 0x8029,
  controlling: 0x802a,
} as const
/** The method Binding with the bits of the class. */
const TYPES: Readonly<Record<StunClass, number>> = {
  request: 0x0001,
  indication: 0x0011,
  success: 0x0101,
  error: 0x0111,
}
const CLASSES = new Map(Object.entries(TYPES).map(([name, type]) => [type, name as StunClass]))

/** True when a datagram begins like a STUN message (RFC 7983 7); it may be malformed all the same. */
export function isStun(datagram: Buffer): boolean {
  return datagram.length >= HEADER_BYTES && datagram[0]! < 4 && datagram.readUInt32BE(4) === COOKIE
}

/**
 * Parses a Binding message (RFC 8489 5) without checking its integrity: see {@link hasIntegrity}.
 * @returns undefined for a message that is malformed, too long, or of another method
 */
export function parseStun(bytes: Buffer): StunMessage | undefined {
  if (!isStun(bytes) || bytes.length > MAX_STUN_BYTES || bytes.readUInt16BE(2) !== bytes.length - HEADER_BYTES)
    return undefined
  const messageClass = CLASSES.get(bytes.readUInt16BE(0))
  if (messageClass === undefined) return undefined
  const message: { -readonly [Key in keyof StunMessage]: StunMessage[Key] } = {
    class: messageClass,
    transactionId: bytes.subarray(8, HEADER_BYTES),
  }
  const isWhole = eachAttribute(bytes, (type, value) => {
    if (type === ATTRIBUTE.integrity) return false
    readAttribute(message, type, value)
    return true
  })
  return isWhole ? message : undefined
}

/** True when a message has a MESSAGE-INTEGRITY (RFC 8489 14.5) that was made with this password. */
export function hasIntegrity(bytes: Buffer, password: string): boolean {
  let isRight = false
  eachAttribute(bytes, (type, value, offset) => {
    if (type !== ATTRIBUTE.integrity) return true
    isRight = value.length === INTEGRITY_BYTES && timingSafeEqual(integrity(bytes.subarray(0, offset), password), value)
    return false
  })
  return isRight
}

/** Writes a Binding message, with a MESSAGE-INTEGRITY if there is a password, and with a FINGERPRINT. */
export function serializeStun(message: StunMessage, password?: string): Buffer {
  const { transactionId, username, priority, useCandidate, role, errorCode, mappedAddress } = message
  const parts: Buffer[] = [Buffer.alloc(HEADER_BYTES)]
  const add = (type: number, value: Buffer) => parts.push(attribute(type, value))
  if (username !== undefined) add(ATTRIBUTE.username, Buffer.from(username))
  if (errorCode !== undefined)
    add(ATTRIBUTE.errorCode, Buffer.from([0, 0, Math.floor(errorCode / 100), errorCode % 100]))
  if (mappedAddress !== undefined) add(ATTRIBUTE.mappedAddress, xorAddress(mappedAddress, transactionId))
  if (priority !== undefined) add(ATTRIBUTE.priority, uint32(priority))
  if (useCandidate === true) add(ATTRIBUTE.useCandidate, Buffer.alloc(0))
  if (role !== undefined) {
    const value = Buffer.alloc(ROLE_BYTES)
    value.writeBigUInt64BE(role.tieBreaker)
    add(role.controlling ? ATTRIBUTE.controlling : ATTRIBUTE.controlled, value)
  }
  let bytes: Buffer = Buffer.concat(parts)
  bytes.writeUInt16BE(TYPES[message.class], 0)
  bytes.writeUInt16BE(bytes.length - HEADER_BYTES, 2)
  bytes.writeUInt32BE(COOKIE, 4)
  transactionId.copy(bytes, 8)
  if (password !== undefined) bytes = append(bytes, attribute(ATTRIBUTE.integrity, integrity(bytes, password)))
  return append(bytes, attribute(ATTRIBUTE.fingerprint, uint32(fingerprint(bytes))))
}

/** Calls `visit` until it returns false. Returns true when all attributes visited are well-formed. */
function eachAttribute(bytes: Buffer, visit: (type: number, value: Buffer, offset: number) => boolean): boolean {
  let offset = HEADER_BYTES
  for (let count = 0; offset < bytes.length; count += 1) {
    if (offset + 4 > bytes.length || count === MAX_ATTRIBUTES) return false
    const sizeBytes = bytes.readUInt16BE(offset + 2)
    const end = offset + 4 + sizeBytes
    if (end > bytes.length) return false
    if (!visit(bytes.readUInt16BE(offset), bytes.subarray(offset + 4, end), offset)) return true
    offset = end + padding(sizeBytes)
  }
  return true
}

function readAttribute(
  message: { -readonly [Key in keyof StunMessage]: StunMessage[Key] },
  type: number,
  value: Buffer,
): void {
  if (type === ATTRIBUTE.username && value.length <= MAX_USERNAME_BYTES) message.username = value.toString()
  else if (type === ATTRIBUTE.priority && value.length === 4) message.priority = value.readUInt32BE()
  else if (type === ATTRIBUTE.useCandidate) message.useCandidate = true
  else if (type === ATTRIBUTE.errorCode && value.length >= 4) message.errorCode = (value[2]! & 7) * 100 + value[3]!
  else if ((type === ATTRIBUTE.controlling || type === ATTRIBUTE.controlled) && value.length === ROLE_BYTES) {
    message.role = { controlling: type === ATTRIBUTE.controlling, tieBreaker: value.readBigUInt64BE() }
  }
}

/** The HMAC of a message, with a length that includes the attribute for it. */
function integrity(bytes: Buffer, password: string): Buffer {
  return createHmac('sha1', password).update(withLength(bytes, INTEGRITY_ATTRIBUTE_BYTES)).digest()
}

function fingerprint(bytes: Buffer): number {
  return (crc32(withLength(bytes, FINGERPRINT_ATTRIBUTE_BYTES)) ^ FINGERPRINT_XOR) >>> 0
}

function withLength(bytes: Buffer, furtherBytes: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt16BE(bytes.length - HEADER_BYTES + furtherBytes, 2)
  return copy
}

function append(bytes: Buffer, last: Buffer): Buffer {
  return Buffer.concat([withLength(bytes, last.length), last])
}

function attribute(type: number, value: Buffer): Buffer {
  const bytes = Buffer.alloc(4 + value.length + padding(value.length))
  bytes.writeUInt16BE(type, 0)
  bytes.writeUInt16BE(value.length, 2)
  value.copy(bytes, 4)
  return bytes
}

function padding(sizeBytes: number): number {
  return -sizeBytes & 3
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** XOR-MAPPED-ADDRESS (RFC 8489 14.2). */
function xorAddress({ address, port }: { address: string; port: number }, transactionId: Buffer): Buffer {
  const ip = addressBytes(address)
  const bytes = Buffer.alloc(4 + ip.length)
  bytes[1] = ip.length === 4 ? 1 : 2
  bytes.writeUInt16BE(port ^ (COOKIE >>> 16), 2)
  const mask = Buffer.concat([uint32(COOKIE), transactionId])
  for (const [index, byte] of ip.entries()) bytes[4 + index] = byte ^ mask[index]!
  return bytes
}

/** The 4 or 16 bytes of an IP address. */
function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  // The runtime's addresses may end in an IPv4 address, while those of a URL consist of groups only.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const bytes = Buffer.alloc(16)
  const after = groupsOf(tail)
  for (const [index, group] of groupsOf(head).entries()) bytes.writeUInt16BE(group, 2 * index)
  for (const [index, group] of after.entries()) bytes.writeUInt16BE(group, 16 - 2 * (after.length - index))
  return bytes
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}
