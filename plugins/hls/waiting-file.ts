import type { LivePresentation } from './feed.ts'
import { hasLeft, sendFile, sendStatus, type Exchange, type FilePolicy } from './replies.ts'
import type { WaitingRequest } from './waiting-requests.ts'

export type WaitingFileInit = {
  readonly exchange: Exchange
  readonly presentation: LivePresentation
  readonly name: string
  readonly policy: FilePolicy
  readonly deadlineMs: number
}

/** A request for the part that the playlist hints at. */
export class WaitingFile implements WaitingRequest {
  readonly deadlineMs: number
  readonly #init: WaitingFileInit

  constructor(init: WaitingFileInit) {
    this.#init = init
    this.deadlineMs = init.deadlineMs
  }

  get gone(): boolean {
    return hasLeft(this.#init.exchange)
  }

  answer(): boolean {
    const { exchange, presentation, name, policy } = this.#init
    const file = presentation.file(name)
    if (file === undefined) sendStatus(exchange, 404)
    else if ('coming' in file) return false
    else sendFile(exchange, file, policy)
    return true
  }

  expire(): void {
    sendStatus(this.#init.exchange, 503)
  }

  ended(): void {}
}
