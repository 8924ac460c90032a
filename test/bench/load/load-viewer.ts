import type { ViewerCounts } from './viewer-counts.ts'

/** One viewer, however it takes the stream. */
export interface LoadViewer {
  /** From its start to the first keyframe; undefined before that. */
  readonly firstKeyframeMs: number | undefined
  /** Why it gets nothing any more. */
  readonly failure: string | undefined
  readonly counts: ViewerCounts
  beginWindow(): void
  /** Takes nothing more from its socket. */
  stall(): void
  resume(): void
}
