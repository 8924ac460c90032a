import { parseAggregate, serializeAggregate } from './aggregate.ts'
import type { Aggregate } from './aggregate.ts'
import { parseCommand, serializeCommand } from './command.ts'
import type { Command } from './command.ts'
import { parseData, serializeData } from './data.ts'
import type { Data } from './data.ts'
import { serializeMedia } from './media.ts'
import type { Media } from './media.ts'
import { MESSAGE_TYPE } from './message-type.ts'
import {
  parseAbort,
  parseAcknowledgement,
  parseSetChunkSize,
  parseSetPeerBandwidth,
  parseWindowAckSize,
  serializeProtocolControl,
} from './protocol-control.ts'
import type { ProtocolControl } from './protocol-control.ts'
import type { MessageBody, RawMessage } from './raw-message.ts'
import { parseUserControl, serializeUserControl } from './user-control.ts'
import type { UserControl } from './user-control.ts'

/** Every message that this server understands, discriminated by `kind`. */
export type Message = ProtocolControl | UserControl | Command | Data | Media | Aggregate

/**
 * Parses a message; `null` for a type or event that is to be ignored. Payloads are views.
 * @throws {MalformedError} when the payload breaks its type's format.
 */
export function parseMessage(raw: RawMessage): Message | null {
  switch (raw.typeId) {
    case MESSAGE_TYPE.audio:
      return { kind: 'audio', payload: raw.payload }
    case MESSAGE_TYPE.video:
      return { kind: 'video', payload: raw.payload }
    case MESSAGE_TYPE.aggregate:
      return parseAggregate(raw)
    case MESSAGE_TYPE.commandAmf0:
      return parseCommand(raw.payload, false)
    case MESSAGE_TYPE.commandAmf3:
      return parseCommand(raw.payload, true)
    case MESSAGE_TYPE.dataAmf0:
      return parseData(raw.payload, false)
    case MESSAGE_TYPE.dataAmf3:
      return parseData(raw.payload, true)
    case MESSAGE_TYPE.userControl:
      return parseUserControl(raw.payload)
    case MESSAGE_TYPE.setChunkSize:
      return parseSetChunkSize(raw.payload)
    case MESSAGE_TYPE.abort:
      return parseAbort(raw.payload)
    case MESSAGE_TYPE.acknowledgement:
      return parseAcknowledgement(raw.payload)
    case MESSAGE_TYPE.windowAckSize:
      return parseWindowAckSize(raw.payload)
    case MESSAGE_TYPE.setPeerBandwidth:
      return parseSetPeerBandwidth(raw.payload)
    default:
      return null
  }
}

/** Type and payload of a message; {@link serializeChunks} adds place and time. */
export function serializeMessage(message: Message): MessageBody {
  switch (message.kind) {
    case 'audio':
    case 'video':
      return serializeMedia(message)
    case 'aggregate':
      return serializeAggregate(message)
    case 'command':
      return serializeCommand(message)
    case 'data':
      return serializeData(message)
    case 'setChunkSize':
    case 'abort':
    case 'acknowledgement':
    case 'windowAckSize':
    case 'setPeerBandwidth':
      return serializeProtocolControl(message)
    default:
      return serializeUserControl(message)
  }
}
