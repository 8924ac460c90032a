import type { Status } from './status.ts'

/** The server did not agree, did not answer, or closed the connection. The message contains nothing of the URL but its host. */
export class RtmpClientError extends Error {
  override readonly name = 'RtmpClientError'
  /** The status that the server refused with; undefined for every other error. */
  readonly status: Status | undefined

  constructor(message: string, options: ErrorOptions & { readonly status?: Status | undefined } = {}) {
    super(message, options)
    this.status = options.status
  }
}
