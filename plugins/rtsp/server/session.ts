import type { CloseReason } from 'sluice/sdk'
import type { RtspRequest } from '../wire/message/message.ts'
import type { MediaTransport } from '../transport/media-transport.ts'
import type { Transport } from '../wire/transport.ts'

/** Header fields of a response, besides those that all have. */
export type HeaderFields = readonly (readonly [name: string, value: string])[]

/** The answer to PLAY or RECORD; `afterwards` is called once the answer has been sent. */
export type StartAnswer = { readonly headers: HeaderFields; readonly afterwards?: () => void }

/** One stream that a client plays or publishes; every request after DESCRIBE or ANNOUNCE belongs to one. */
export interface RtspSession {
  /** The session id that the client sends; it can't be guessed. */
  readonly id: string
  /** The address of the client. */
  readonly ip: string
  /** True after PLAY or RECORD. */
  readonly isStarted: boolean
  readonly isClosed: boolean
  /** True when the session can go on after its connection has ended. */
  readonly outlivesConnection: boolean
  /** True when `uri` or `streamPath` names the session's stream or one of its medias. */
  isOf(streamPath: string, uri: string): boolean
  /** The time of the client's last sign of life, in milliseconds of a monotonic clock. */
  readonly seenMs: number
  /** The client gave a sign of life. */
  touch(): void
  /** The client has sent a keepalive: it is present, with or without media. */
  keepAlive(): void
  /**
   * Sets up the transport of one media.
   * @param index the place of the media; undefined when the request names the whole stream
   * @throws {RtspRefusal}
   */
  setup(request: RtspRequest, index: number | undefined, wanted: readonly Transport[]): Promise<MediaTransport>
  /** @throws {RtspRefusal} @throws {SluiceError} */
  play(request: RtspRequest): Promise<StartAnswer>
  /** @throws {RtspRefusal} */
  record(): StartAnswer
  /** @throws {RtspRefusal} @throws {SluiceError} */
  pause(): Promise<void>
  /** Ends the session. Idempotent. */
  close(reason: CloseReason | string): void
}
