/** A run of media with continuous times: from a discontinuity to the next. */
export type Period = {
  /** Counts discontinuities, the first period being 0. */
  readonly index: number
  /** Wall clock of the media time 0, in milliseconds since the Unix epoch. */
  originMs: number
}

/** A piece of a segment. */
export type Part = { readonly data: Buffer; readonly durationSeconds: number; readonly independent: boolean }

/** A segment, complete or being made. */
export type Segment = {
  /** Media sequence number. */
  readonly msn: number
  readonly period: Period
  /** True for the first segment of a period other than the first. */
  readonly discontinuity: boolean
  /** File name of its init segment. */
  readonly initName: string | undefined
  /** The start in media time. */
  readonly startSeconds: number
  /** The duration so far, while the segment is being made. */
  durationSeconds: number
  /** The parts of its bytes; the bytes after a part boundary begin a new one. */
  readonly parts: Part[]
  /** True when its parts are listed. */
  readonly divided: boolean
  complete: boolean
}

/** True when no media came in the segment's time, so that it is not to be loaded. */
export function isGap(segment: Segment): boolean {
  return segment.complete && segment.parts.length === 0
}

export function segmentSizeBytes({ parts }: Segment): number {
  return parts.reduce((sum, { data }) => sum + data.length, 0)
}
