import { MalformedError } from 'sluice/sdk/media'
import { MESSAGE_TYPE } from './message-type.ts'
import type { MessageBody } from './raw-message.ts'

/** The length of a message has 24 bits, so a larger chunk is the same as this one (RTMP 1.0 §5.4.1). */
export const MAX_CHUNK_SIZE_BYTES = 0xff_ff_ff

/** The type of the limit in a Set Peer Bandwidth message (RTMP 1.0 §5.4.5). */
type BandwidthLimit = 'hard' | 'soft' | 'dynamic'
const BANDWIDTH_LIMITS: readonly BandwidthLimit[] = ['hard', 'soft', 'dynamic']

/** RTMP 1.0 §5.4.1: the sender's chunks are of this size from now on. */
export type SetChunkSize = { readonly kind: 'setChunkSize'; readonly sizeBytes: number }
/** RTMP 1.0 §5.4.2: throw away the unfinished message of a chunk stream. */
export type Abort = { readonly kind: 'abort'; readonly chunkStreamId: number }
/** RTMP 1.0 §5.4.3: how many bytes were received so far, modulo 2^32. */
export type Acknowledgement = { readonly kind: 'acknowledgement'; readonly receivedBytes: number }
/** RTMP 1.0 §5.4.4: the sender wants an acknowledgement after this many bytes. */
export type WindowAckSize = { readonly kind: 'windowAckSize'; readonly sizeBytes: number }
/** RTMP 1.0 §5.4.5: the receiver is to limit the bytes that it sends without acknowledgement. */
export type SetPeerBandwidth = {
  readonly kind: 'setPeerBandwidth'
  readonly sizeBytes: number
  readonly limit: BandwidthLimit
}

/** The messages about the chunk stream itself, always on chunk stream 2 and message stream 0. */
export type ProtocolControl = SetChunkSize | Abort | Acknowledgement | WindowAckSize | SetPeerBandwidth

/** @throws {MalformedError} for a size of 0 or of more than 31 bits; sizes above 24 bits are lowered to that. */
export function parseSetChunkSize(payload: Buffer): SetChunkSize {
  const sizeBytes = readUint32(payload, 'Set Chunk Size')
  if (sizeBytes === 0 || sizeBytes > 0x7f_ff_ff_ff) throw new MalformedError(`chunk size of ${sizeBytes} bytes`)
  return { kind: 'setChunkSize', sizeBytes: Math.min(sizeBytes, MAX_CHUNK_SIZE_BYTES) }
}

export function parseAbort(payload: Buffer): Abort {
  return { kind: 'abort', chunkStreamId: readUint32(payload, 'Abort Message') }
}

export function parseAcknowledgement(payload: Buffer): Acknowledgement {
  return { kind: 'acknowledgement', receivedBytes: readUint32(payload, 'Acknowledgement') }
}

export function parseWindowAckSize(payload: Buffer): WindowAckSize {
  return { kind: 'windowAckSize', sizeBytes: readUint32(payload, 'Window Acknowledgement Size') }
}

/** A limit type that is missing or unknown counts as dynamic. */
export function parseSetPeerBandwidth(payload: Buffer): SetPeerBandwidth {
  const sizeBytes = readUint32(payload, 'Set Peer Bandwidth')
  return { kind: 'setPeerBandwidth', sizeBytes, limit: BANDWIDTH_LIMITS[payload[4] ?? 2] ?? 'dynamic' }
}

export function serializeProtocolControl(message: ProtocolControl): MessageBody {
  const typeId = MESSAGE_TYPE[message.kind]
  switch (message.kind) {
    case 'setChunkSize':
    case 'windowAckSize':
      return { typeId, payload: uint32(message.sizeBytes) }
    case 'abort':
      return { typeId, payload: uint32(message.chunkStreamId) }
    case 'acknowledgement':
      return { typeId, payload: uint32(message.receivedBytes) }
    case 'setPeerBandwidth':
      return {
        typeId,
        payload: Buffer.concat([uint32(message.sizeBytes), Buffer.of(BANDWIDTH_LIMITS.indexOf(message.limit))]),
      }
  }
}

function readUint32(payload: Buffer, name: string): number {
  if (payload.length < 4) throw new MalformedError(`${name} of ${payload.length} bytes`)
  return payload.readUInt32BE(0)
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}
