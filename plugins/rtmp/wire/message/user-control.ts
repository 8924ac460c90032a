import { MalformedError } from 'sluice/sdk/media'
import { MESSAGE_TYPE } from './message-type.ts'
import type { MessageBody } from './raw-message.ts'

/** Event types of RTMP 1.0 §7.1.7 that name a message stream and nothing else. */
const STREAM_EVENTS = { streamBegin: 0, streamEof: 1, streamDry: 2, streamIsRecorded: 4 } as const
const SET_BUFFER_LENGTH = 3
/** Event types that carry a time, which the response repeats. */
const PING_EVENTS = { pingRequest: 6, pingResponse: 7 } as const

type StreamEvent = { readonly kind: keyof typeof STREAM_EVENTS; readonly streamId: number }
type SetBufferLength = { readonly kind: 'setBufferLength'; readonly streamId: number; readonly lengthMs: number }
type Ping = { readonly kind: keyof typeof PING_EVENTS; readonly timestampMs: number }

/** User control messages (RTMP 1.0 §6.2, §7.1.7), always on chunk stream 2 and message stream 0. */
export type UserControl = StreamEvent | SetBufferLength | Ping

/**
 * `null` for an event this doesn't know, such as Flash's SWF verification and buffer reports.
 * @throws {MalformedError} when the event is cut off.
 */
export function parseUserControl(payload: Buffer): UserControl | null {
  if (payload.length < 2) throw new MalformedError(`user control message of ${payload.length} bytes`)
  switch (payload.readUInt16BE(0)) {
    case STREAM_EVENTS.streamBegin:
      return { kind: 'streamBegin', streamId: readUint32(payload, 2) }
    case STREAM_EVENTS.streamEof:
      return { kind: 'streamEof', streamId: readUint32(payload, 2) }
    case STREAM_EVENTS.streamDry:
      return { kind: 'streamDry', streamId: readUint32(payload, 2) }
    case STREAM_EVENTS.streamIsRecorded:
      return { kind: 'streamIsRecorded', streamId: readUint32(payload, 2) }
    case SET_BUFFER_LENGTH:
      return { kind: 'setBufferLength', streamId: readUint32(payload, 2), lengthMs: readUint32(payload, 6) }
    case PING_EVENTS.pingRequest:
      return { kind: 'pingRequest', timestampMs: readUint32(payload, 2) }
    case PING_EVENTS.pingResponse:
      return { kind: 'pingResponse', timestampMs: readUint32(payload, 2) }
    default:
      return null
  }
}

export function serializeUserControl(message: UserControl): MessageBody {
  return { typeId: MESSAGE_TYPE.userControl, payload: serializeEvent(message) }
}

function serializeEvent(message: UserControl): Buffer {
  switch (message.kind) {
    case 'setBufferLength':
      return event(SET_BUFFER_LENGTH, message.streamId, message.lengthMs)
    case 'pingRequest':
    case 'pingResponse':
      return event(PING_EVENTS[message.kind], message.timestampMs)
    default:
      return event(STREAM_EVENTS[message.kind], message.streamId)
  }
}

function event(type: number, ...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(2 + 4 * values.length)
  let offset = bytes.writeUInt16BE(type, 0)
  for (const value of values) offset = bytes.writeUInt32BE(value, offset)
  return bytes
}

function readUint32(payload: Buffer, offset: number): number {
  if (payload.length < offset + 4) throw new MalformedError(`user control message of ${payload.length} bytes`)
  return payload.readUInt32BE(offset)
}
