/** A run of media whose times go on: from a discontinuity to the next. */
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
  /** It is the first of its period, and not of all. */
  readonly discontinuity: boolean
  /** File name of its init segment. */
  readonly initName: string | undefined
  /** Media time. */
  readonly startSeconds: number
  /** The duration so far, while the segment is being made. */
  durationSeconds: number
  /** Its bytes; those that follow a part boundary begin a new one. */
  readonly parts: Part[]
  /** The parts are listed. */
  readonly divided: boolean
  complete: boolean
}

/** Nothing came of the rendition in that time: the segment is not to be loaded. */
export function isGap(segment: Segment): boolean {
  return segment.complete && segment.parts.length === 0
}

export function segmentSizeBytes({ parts }: Segment): number {
  return parts.reduce((sum, { data }) => sum + data.length, 0)
}
