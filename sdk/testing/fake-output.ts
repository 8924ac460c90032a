import type { AccessUnit } from '../media/access-unit.ts'
import type { Track } from '../media/track.ts'

/** The destination of a fake subscriber's media. */
export interface FakeOutput {
  /** Units begin, or begin again. */
  start(): void
  track(track: Track): void
  unit(unit: AccessUnit): void
  trackRemoved?(track: Track): void
  discontinuity?(): void
  sourceEnded?(): void
  /** The units that follow are of another stream. */
  sourceChanged?(): void
}
