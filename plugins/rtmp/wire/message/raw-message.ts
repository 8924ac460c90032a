import { MESSAGE_TYPE } from './message-type.ts'

/** The header of a message (RTMP 1.0 §6.1.1) and the chunk stream it travels on. */
export type MessageHeader = {
  /** 2 to 65599; see {@link CHUNK_STREAM_ID}. */
  readonly chunkStreamId: number
  /** See `MESSAGE_TYPE`. */
  readonly typeId: number
  /** 0 for messages about the connection, else the number that `createStream` returned. */
  readonly messageStreamId: number
  /** Absolute, in milliseconds modulo 2^32. */
  readonly timestamp: number
}

/** A whole message as chunks carry it. */
export type RawMessage = MessageHeader & { readonly payload: Buffer }

/** The type and payload of a message, without its place and time. */
export type MessageBody = { readonly typeId: number; readonly payload: Buffer }

/** The chunk streams this server sends on. Only the first is prescribed (RTMP 1.0 §5.4); peers use the others too. */
export const CHUNK_STREAM_ID = { control: 2, command: 3, audio: 4, data: 5, video: 6 } as const

/** The chunk stream that messages of a type are sent on. */
export function chunkStreamOf(typeId: number): number {
  switch (typeId) {
    case MESSAGE_TYPE.audio:
      return CHUNK_STREAM_ID.audio
    case MESSAGE_TYPE.video:
      return CHUNK_STREAM_ID.video
    case MESSAGE_TYPE.dataAmf0:
    case MESSAGE_TYPE.dataAmf3:
      return CHUNK_STREAM_ID.data
    case MESSAGE_TYPE.commandAmf0:
    case MESSAGE_TYPE.commandAmf3:
      return CHUNK_STREAM_ID.command
    default:
      return CHUNK_STREAM_ID.control
  }
}
