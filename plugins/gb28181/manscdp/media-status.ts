import type { ManscdpMessage } from './message.ts'

/** A notice of a session of media (A.2.5.6 of GB/T 28181-2022). */
export type MediaStatus = {
  /** True when a recording has been sent to its end. */
  readonly isFileFinished: boolean
}

const FILE_FINISHED = 121

/** Reads a notice of media. */
export function parseMediaStatus({ root }: ManscdpMessage): MediaStatus {
  return { isFileFinished: root.integer('NotifyType') === FILE_FINISHED }
}
