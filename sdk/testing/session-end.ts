import type { CloseReason } from '../stream/close-reason.ts'

/** The end of a fake session: it ends once, with a reason, and calls all listeners. */
export class SessionEnd {
  #listeners: ((reason: CloseReason) => void)[] = []
  #reason: CloseReason | undefined

  get reason(): CloseReason | undefined {
    return this.#reason
  }

  onClose(listener: (reason: CloseReason) => void): void {
    if (this.#reason === undefined) this.#listeners.push(listener)
    else listener(this.#reason)
  }

  /** Returns false when it had ended already. */
  close(reason: CloseReason): boolean {
    if (this.#reason !== undefined) return false
    this.#reason = reason
    for (const listener of this.#listeners.splice(0)) listener(reason)
    return true
  }
}

/** The reason that a session is closed with: a text alone, or none, is its plugin's own. */
export function closeReasonOf(reason: CloseReason | string = 'closed'): CloseReason {
  return typeof reason === 'string' ? { code: 'closed', text: reason } : reason
}
