import type { CloseReason } from './close-reason.ts'

/** A play that was let in and gets no stream: its plugin sends media from elsewhere, such as a recording. */
export interface PlayAdmission {
  /** The path that it is for: the one that was asked for, or the one that the admission webhook made of it. */
  readonly streamPath: string
  /** Calls the listener at the end, whichever side ended it; at once when it has ended already. */
  onClose(listener: (reason: CloseReason) => void): void
  /** Ends it: closing notices are sent. Idempotent. */
  close(reason?: CloseReason | string): void
}
