import { MalformedError } from 'sluice/sdk/media'
import { SEQUENCE_MASK } from '../sequence.ts'
import { type HandshakeExtension, parseExtensions, serializeExtensions } from './handshake-extension.ts'

/** The types of a handshake (draft-sharabayko-srt-01 section 3.2.1, table 4). 1000 and above are refusals. */
export const HANDSHAKE_TYPE = {
  waveAHand: 0,
  induction: 1,
  conclusion: 0xffff_ffff,
  agreement: 0xffff_fffe,
} as const

/** Size of a handshake without extensions, without the packet's header. */
export const HANDSHAKE_BYTES = 48

/** The handshake version of SRT 1.3 and later, the first that has extensions. */
export const HANDSHAKE_VERSION = 5

/** Bits of the extension field of a conclusion (draft-sharabayko-srt-01 section 3.2.1, table 3). */
export const EXTENSION_FLAG = { terms: 1, keys: 2, configuration: 4 } as const

/** A handshake (draft-sharabayko-srt-01 section 3.2.1). */
export type HandshakePacket = {
  version: number
  /** The length of the key in units of 8 bytes: 2, 3, 4; 0 for unknown. */
  encryptionField: number
  extensionField: number
  /** The sequence number of the sender's first packet. */
  sequence: number
  mtuBytes: number
  flowWindowPackets: number
  /** One of HANDSHAKE_TYPE, or 1000 and a reason to refuse. */
  type: number
  /** The socket id of the sender. */
  socketId: number
  cookie: number
  /** 16 bytes: the receiver's address as the sender sees it, each word with its bytes reversed; often zeros. */
  address: Buffer
  extensions: readonly HandshakeExtension[]
}

/**
 * Parses the bytes after the packet's header. Conclusions and agreements of version 5 have extensions; further bytes of other types are
 * ignored.
 * @throws {MalformedError} when it is too short, or an extension is broken
 */
export function parseHandshake(bytes: Buffer): HandshakePacket {
  if (bytes.length < HANDSHAKE_BYTES) throw new MalformedError(`SRT handshake of ${bytes.length} bytes`)
  const version = bytes.readUInt32BE(0)
  const type = bytes.readUInt32BE(20)
  const isExtended = version >= HANDSHAKE_VERSION && type >= HANDSHAKE_TYPE.agreement
  return {
    version,
    encryptionField: bytes.readUInt16BE(4),
    extensionField: bytes.readUInt16BE(6),
    sequence: bytes.readUInt32BE(8) & SEQUENCE_MASK,
    mtuBytes: bytes.readUInt32BE(12),
    flowWindowPackets: bytes.readUInt32BE(16),
    type,
    socketId: bytes.readUInt32BE(24),
    cookie: bytes.readUInt32BE(28),
    address: bytes.subarray(32, HANDSHAKE_BYTES),
    extensions: isExtended ? parseExtensions(bytes.subarray(HANDSHAKE_BYTES)) : [],
  }
}

export function serializeHandshake(handshake: HandshakePacket): Buffer {
  const bytes = Buffer.alloc(HANDSHAKE_BYTES)
  bytes.writeUInt32BE(handshake.version, 0)
  bytes.writeUInt16BE(handshake.encryptionField, 4)
  bytes.writeUInt16BE(handshake.extensionField, 6)
  bytes.writeUInt32BE(handshake.sequence, 8)
  bytes.writeUInt32BE(handshake.mtuBytes, 12)
  bytes.writeUInt32BE(handshake.flowWindowPackets, 16)
  bytes.writeUInt32BE(handshake.type, 20)
  bytes.writeUInt32BE(handshake.socketId, 24)
  bytes.writeUInt32BE(handshake.cookie, 28)
  handshake.address.copy(bytes, 32)
  return handshake.extensions.length === 0 ? bytes : Buffer.concat([bytes, serializeExtensions(handshake.extensions)])
}
