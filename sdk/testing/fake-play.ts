import type { CloseReason } from '../stream/close-reason.ts'
import type { PlayAdmission } from '../stream/play-admission.ts'
import { closeReasonOf, SessionEnd } from './session-end.ts'

/** A player that was admitted without a stream. */
export class FakePlay implements PlayAdmission {
  readonly streamPath: string
  readonly #end = new SessionEnd()

  constructor(streamPath: string) {
    this.streamPath = streamPath
  }

  /** The reason of its end; undefined while it goes on. */
  get closeReason(): CloseReason | undefined {
    return this.#end.reason
  }

  onClose(listener: (reason: CloseReason) => void): void {
    this.#end.onClose(listener)
  }

  close(reason?: CloseReason | string): void {
    this.#end.close(closeReasonOf(reason))
  }
}
