import { MalformedError } from 'sluice/sdk/media'
import { type Acknowledgement, parseAcknowledgement, serializeAcknowledgement } from './acknowledgement.ts'
import { type DroppedRange, parseDroppedRange, serializeDroppedRange } from './drop-request.ts'
import { MAX_KEY_MESSAGE_BYTES } from './handshake-extension.ts'
import { type HandshakePacket, parseHandshake, serializeHandshake } from './handshake-packet.ts'
import { type LossRange, parseLossList, serializeLossList } from './loss-list.ts'
import { CONTROL_TYPE, type ControlHeader, HEADER_BYTES, isControl, readControlHeader } from './packet-header.ts'
import { serializeControl } from './packet-header.ts'

const KEY_REQUEST_SUBTYPE = 3
const KEY_RESPONSE_SUBTYPE = 4

/** libsrt sends a word of zeros behind the header where a control packet has no content, and expects no less. */
const NO_CONTENT = Buffer.alloc(4)

type Content =
  | { kind: 'handshake'; handshake: HandshakePacket }
  | { kind: 'keepAlive' | 'shutdown' | 'congestionWarning' }
  | { kind: 'peerError'; code: number }
  | { kind: 'acknowledgement'; number: number; acknowledgement: Acknowledgement }
  | { kind: 'lightAcknowledgement'; sequence: number }
  | { kind: 'acknowledgedAcknowledgement'; number: number }
  | { kind: 'lossReport'; ranges: readonly LossRange[] }
  | ({ kind: 'dropRequest'; messageNumber: number } & DroppedRange)
  | { kind: 'keyMaterial'; isRequest: boolean; message: Buffer }

/**
 * A control packet (draft-sharabayko-srt-01 section 3.2).
 * - timestamp: microseconds since the start of the sender, 32 bits
 * - destination: socket id of the receiver
 */
export type ControlPacket = Content & { timestamp: number; destination: number }

/**
 * Parses a control packet; `undefined` for an unknown type. Buffers in the result are views.
 * @throws {MalformedError} when it is malformed or not a control packet
 */
export function parseControlPacket(datagram: Buffer): ControlPacket | undefined {
  if (!isControl(datagram)) throw new MalformedError(`${datagram.length} bytes are no SRT control packet`)
  const header = readControlHeader(datagram)
  const content = parseContent(header, datagram.subarray(HEADER_BYTES))
  return content && { ...content, timestamp: header.timestamp, destination: header.destination }
}

function parseContent({ type, subtype, information }: ControlHeader, bytes: Buffer): Content | undefined {
  switch (type) {
    case CONTROL_TYPE.handshake:
      return { kind: 'handshake', handshake: parseHandshake(bytes) }
    case CONTROL_TYPE.keepAlive:
      return { kind: 'keepAlive' }
    case CONTROL_TYPE.acknowledgement: {
      const acknowledgement = parseAcknowledgement(bytes)
      if (acknowledgement.rttUs === undefined) {
        return { kind: 'lightAcknowledgement', sequence: acknowledgement.sequence }
      }
      return { kind: 'acknowledgement', number: information, acknowledgement }
    }
    case CONTROL_TYPE.lossReport:
      return { kind: 'lossReport', ranges: parseLossList(bytes) }
    case CONTROL_TYPE.congestionWarning:
      return { kind: 'congestionWarning' }
    case CONTROL_TYPE.shutdown:
      return { kind: 'shutdown' }
    case CONTROL_TYPE.acknowledgedAcknowledgement:
      return { kind: 'acknowledgedAcknowledgement', number: information }
    case CONTROL_TYPE.dropRequest:
      return { kind: 'dropRequest', messageNumber: information, ...parseDroppedRange(bytes) }
    case CONTROL_TYPE.peerError:
      return { kind: 'peerError', code: information }
    case CONTROL_TYPE.userDefined:
      return parseUserDefined(subtype, bytes)
    default:
      return undefined
  }
}

function parseUserDefined(subtype: number, bytes: Buffer): Content | undefined {
  if (subtype !== KEY_REQUEST_SUBTYPE && subtype !== KEY_RESPONSE_SUBTYPE) return undefined
  if (bytes.length > MAX_KEY_MESSAGE_BYTES) throw new MalformedError(`SRT key message of ${bytes.length} bytes`)
  return { kind: 'keyMaterial', isRequest: subtype === KEY_REQUEST_SUBTYPE, message: bytes }
}

/** The bytes of a control packet, for one datagram. */
export function serializeControlPacket(packet: ControlPacket): Buffer {
  const write = (type: number, information: number, content: Buffer, subtype = 0): Buffer =>
    serializeControl(
      { type, subtype, information, timestamp: packet.timestamp, destination: packet.destination },
      content,
    )
  switch (packet.kind) {
    case 'handshake':
      return write(CONTROL_TYPE.handshake, 0, serializeHandshake(packet.handshake))
    case 'keepAlive':
    case 'shutdown':
    case 'congestionWarning':
      return write(CONTROL_TYPE[packet.kind], 0, NO_CONTENT)
    case 'peerError':
      return write(CONTROL_TYPE.peerError, packet.code, NO_CONTENT)
    case 'acknowledgement':
      return write(CONTROL_TYPE.acknowledgement, packet.number, serializeAcknowledgement(packet.acknowledgement))
    case 'lightAcknowledgement':
      return write(CONTROL_TYPE.acknowledgement, 0, serializeAcknowledgement({ sequence: packet.sequence }))
    case 'acknowledgedAcknowledgement':
      return write(CONTROL_TYPE.acknowledgedAcknowledgement, packet.number, NO_CONTENT)
    case 'lossReport':
      return write(CONTROL_TYPE.lossReport, 0, serializeLossList(packet.ranges))
    case 'dropRequest':
      return write(CONTROL_TYPE.dropRequest, packet.messageNumber, serializeDroppedRange(packet))
    case 'keyMaterial':
      return write(
        CONTROL_TYPE.userDefined,
        0,
        packet.message,
        packet.isRequest ? KEY_REQUEST_SUBTYPE : KEY_RESPONSE_SUBTYPE,
      )
  }
}
