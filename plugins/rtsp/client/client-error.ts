/** The server can't be reached, refuses, or does not keep to the protocol. The message contains no secret. */
export class RtspClientError extends Error {
  override readonly name = 'RtspClientError'
  /** The status that the server refused with; undefined for every other error. */
  readonly status: number | undefined
  /** The address to which the server redirects; undefined when it redirects nowhere. */
  readonly location: string | undefined

  constructor(message: string, options: ErrorOptions & { readonly status?: number; readonly location?: string } = {}) {
    super(message, options)
    this.status = options.status
    this.location = options.location
  }
}

/** True when a server can't or won't use the transport that was asked for (status 461). */
export function isTransportRefusal(error: unknown): boolean {
  return error instanceof RtspClientError && error.status === 461
}
