import type { CloseReason, PlayAdmission } from 'sluice/sdk'
import { closeReasonOf, type SessionLife } from './session-life.ts'

/** A play session without a stream; see `StreamManager.admit`. */
export class StreamlessPlay implements PlayAdmission {
  readonly streamPath: string
  readonly session: SessionLife

  constructor(streamPath: string, session: SessionLife) {
    this.streamPath = streamPath
    this.session = session
    session.begin()
  }

  onClose(listener: (reason: CloseReason) => void): void {
    this.session.onClose(listener)
  }

  close(reason?: CloseReason | string): void {
    this.session.close(closeReasonOf(reason))
  }
}
