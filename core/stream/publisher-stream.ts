import type { AccessUnit, CloseReason, Publisher, Track } from 'sluice/sdk'

/** The part of a stream that its publisher needs. */
export interface PublisherStream {
  /** Hands on pending units; called before the tracks change, as these units need them as they are. */
  flush(): void
  /** Hands on the output that waits to be sent; units that are held back for subscribers that were just admitted stay so. */
  flushOutput(): void
  trackAdded(track: Track): void
  trackConfigured(track: Track): void
  trackRemoved(track: Track): void
  /** Notes that the tracks are as complete as they will be, for now; subscribers need not wait for them any longer. */
  tracksSettled(): void
  /** See `Publisher.whenTaken`. */
  whenTaken(): Promise<void> | undefined
  metadataChanged(): void
  /** Breaks the continuity: units that are dispatched from now on do not follow on earlier ones. */
  discontinuity(): void
  dispatch(unit: AccessUnit): void
  /** Notes the first sign of life of a publisher that the path was kept for. */
  publisherConnected(publisher: Publisher): void
  publisherClosed(publisher: Publisher, reason: CloseReason): void
}
