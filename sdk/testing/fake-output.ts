import type { AccessUnit } from '../media/access-unit.ts'
import type { Track } from '../media/track.ts'

/** Where a fake subscriber's media goes. */
export interface FakeOutput {
  /** Units begin, or begin again. */
  start(): void
  track(track: Track): void
  unit(unit: AccessUnit): void
  trackRemoved?(track: Track): void
  discontinuity?(): void
  sourceEnded?(): void
  /** What comes is of another stream. */
  sourceChanged?(): void
}
