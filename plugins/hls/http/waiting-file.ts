import type { LivePresentation } from '../hls-stream.ts'
import { hasLeft, sendFile, sendStatus, type HttpExchange, type FilePolicy } from './replies.ts'
import type { WaitingRequest } from './waiting-requests.ts'

export type WaitingFileOptions = {
  readonly exchange: HttpExchange
  readonly presentation: LivePresentation
  readonly name: string
  readonly policy: FilePolicy
  readonly deadlineMs: number
}

/** A request for the part that the playlist hints at. */
export class WaitingFile implements WaitingRequest {
  readonly deadlineMs: number
  readonly #options: WaitingFileOptions

  constructor(options: WaitingFileOptions) {
    this.#options = options
    this.deadlineMs = options.deadlineMs
  }

  get gone(): boolean {
    return hasLeft(this.#options.exchange)
  }

  answer(): boolean {
    const { exchange, presentation, name, policy } = this.#options
    const file = presentation.file(name)
    if (file === undefined) sendStatus(exchange, 404)
    else if ('coming' in file) return false
    else sendFile(exchange, file, policy)
    return true
  }

  expire(): void {
    sendStatus(this.#options.exchange, 503)
  }

  ended(): void {}
}
