import type { CloseReason } from 'sluice/sdk'
import type { RtspRequest } from '../wire/message/message.ts'
import type { MediaTransport } from '../transport/media-transport.ts'
import type { Transport } from '../wire/transport.ts'

/** Header fields of a response, besides those that all have. */
export type HeaderFields = readonly (readonly [name: string, value: string])[]

/** What PLAY or RECORD is answered, and what is done once the answer has been sent. */
export type StartAnswer = { readonly headers: HeaderFields; readonly afterwards?: () => void }

/** One stream that a client plays or publishes: what its requests after DESCRIBE or ANNOUNCE belong to. */
export interface RtspSession {
  /** What the client names it by; it can't be guessed. */
  readonly id: string
  /** The address of the client. */
  readonly ip: string
  /** Whether it has been begun by PLAY or RECORD. */
  readonly isStarted: boolean
  readonly isClosed: boolean
  /** Whether it can go on when its connection is gone. */
  readonly outlivesConnection: boolean
  /** Tells whether a request with an address names the stream that the session is of, or a media of it. */
  isOf(streamPath: string, uri: string): boolean
  /** When the client gave its last sign of life, by a monotonic clock. */
  readonly seenMs: number
  /** The client gave a sign of life. */
  touch(): void
  /** The client says that it is there, with or without media, by a request that asks for nothing. */
  keepAlive(): void
  /**
   * Arranges how one media travels.
   * @param index of the media; undefined where the request names the whole stream
   * @throws {RtspRefusal}
   */
  setup(request: RtspRequest, index: number | undefined, wanted: readonly Transport[]): Promise<MediaTransport>
  /** @throws {RtspRefusal} @throws {SluiceError} */
  play(request: RtspRequest): Promise<StartAnswer>
  /** @throws {RtspRefusal} */
  record(): StartAnswer
  /** @throws {RtspRefusal} @throws {SluiceError} */
  pause(): Promise<void>
  /** Ends it. Idempotent. */
  close(reason: CloseReason | string): void
}
