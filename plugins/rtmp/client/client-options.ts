import type { Socket } from 'node:net'
import type { AmfValue } from 'sluice/sdk/media'
import type { Command } from '../wire/message/command.ts'
import type { RawMessage } from '../wire/message/raw-message.ts'
import type { Status } from './status.ts'

export type RtmpClientOptions = {
  /** `rtmp[s]://host[:port]/app/name?query`; its user information is left alone. */
  readonly url: string
  /** The answer to a server's challenge, without `?`, which is added to app and tcUrl. See `answerChallenge`. */
  readonly credentials?: string
  /** The connection to the server, which may still be opening. */
  readonly socket: Socket
  /** Signs the handshake as Flash players do, which some servers insist on. Default true. */
  readonly signedHandshake?: boolean
  /** Sends commands in messages of AMF3's type. Default false. */
  readonly amf3?: boolean
  /** Says that several tracks of a kind are understood (enhanced RTMP v2). Default false. */
  readonly multitrack?: boolean
  /** Size of the chunks it sends. Default 4096. */
  readonly chunkSizeBytes?: number
  /** `flashVer` of `connect`. */
  readonly userAgent?: string
  /** Further properties of `connect`. */
  readonly properties?: Readonly<Record<string, AmfValue>>
  /** The longest time for the handshake and for each answer, in milliseconds. Default 10 s. */
  readonly answerTimeoutMs?: number
  /** Takes each media and data message; its payload belongs to the callee. */
  readonly onMedia?: (raw: RawMessage) => void
  /** Called when the server has sent a ping, or answered one. */
  readonly onPing?: () => void
  /** Takes each command of the server's, answers to calls included. */
  readonly onCommand?: (command: Command) => void
  /** Called with the status of each `onStatus`. While a returned promise is pending, nothing further is read; it must not reject. */
  readonly onStatus?: (status: Status) => Promise<void> | undefined
  /** Called when a user control message of the server announces that the stream is a recording, or that it has ended. */
  readonly onStreamEvent?: (kind: 'streamIsRecorded' | 'streamEof') => void
}
