import type { PublishConfig } from '../config/groups.ts'
import type { UnitSink } from '../media/unit-sink.ts'
import type { CloseReason } from './close-reason.ts'

/**
 * The session that feeds one stream. `ctx.streams.publish` gives it; whoever got it closes it.
 *
 * `write` hands a unit on to all subscribers before it returns. The unit's times are set right first (see
 * `timestampBits`): a stream's time starts near zero, never runs back, and goes on when a new publisher takes the path
 * over.
 */
export interface Publisher extends UnitSink {
  /** Unique among the sessions of this process, publishers and subscribers. */
  readonly id: number
  /** The path that it was admitted to: as requested, unless the admission webhook rewrote it. */
  readonly streamPath: string
  /** The `publish` section that holds for this session: the plugin's, with the query's overrides. */
  readonly config: Readonly<PublishConfig>
  /** Descriptive data from the source, for example the fields of `onMetaData`; replaces what was there. */
  setMetadata(metadata: Readonly<Record<string, unknown>>): void
  /** Declares that no further track is to be expected, so that subscribers need not wait for one. */
  tracksComplete(): void
  /** Calls the listener once, when the publisher ends for whatever reason; at once when it has ended already. */
  onClose(listener: (reason: CloseReason) => void): void
  /** Ends the publisher. Its subscribers go back to waiting. A text alone has the code `closed`. Idempotent. */
  close(reason?: CloseReason | string): void
}

/** How a protocol's publisher differs from others. */
export type PublishOptions = {
  /** Width of the protocol's time stamps in bits, for those that wrap: 32 for RTMP and RTP, 33 for MPEG-TS. */
  readonly timestampBits?: number
  /** Keys that hold for this publisher instead of those of the plugin's `publish` section. */
  readonly config?: Readonly<Partial<PublishConfig>>
}
