import type { RawMessage } from '../wire/message/raw-message.ts'

/** The most messages before the status `Play.Start`; real servers send only metadata and decoder configurations before it. */
const MAX_EARLY_MESSAGES = 32
const MAX_EARLY_BYTES = 256 * 1024

/** The media and data messages that a server sends before the status `Play.Start`: the first of them, up to the limits above. */
export class EarlyMessages {
  #messages: RawMessage[] = []
  #sizeBytes = 0

  add(raw: RawMessage): void {
    this.#sizeBytes += raw.payload.length
    if (this.#messages.length < MAX_EARLY_MESSAGES && this.#sizeBytes <= MAX_EARLY_BYTES) this.#messages.push(raw)
  }

  /** Returns the messages and forgets them. */
  take(): readonly RawMessage[] {
    const messages = this.#messages
    this.#messages = []
    return messages
  }
}
