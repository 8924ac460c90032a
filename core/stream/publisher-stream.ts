import type { AccessUnit, CloseReason, Publisher, Track } from 'sluice/sdk'

/** The stream, as its publisher reaches it. */
export interface PublisherStream {
  /** Hands on what is pending; called before the tracks change, which it needs as they are. */
  flush(): void
  /** Hands on what waits to be sent; what is kept back for subscribers that were just let in stays so. */
  flushOutput(): void
  trackAdded(track: Track): void
  trackConfigured(track: Track): void
  trackRemoved(track: Track): void
  /** The tracks are as complete as they will be, for now; who waits for them need wait no longer. */
  tracksSettled(): void
  /** As that of `Publisher`. */
  whenTaken(): Promise<void> | undefined
  metadataChanged(): void
  /** What is dispatched from now on does not go on from what was. */
  discontinuity(): void
  dispatch(unit: AccessUnit): void
  /** A publisher that the path was kept for is heard for the first time. */
  publisherConnected(publisher: Publisher): void
  publisherClosed(publisher: Publisher, reason: CloseReason): void
}
