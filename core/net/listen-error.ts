/** An address that can't be listened on. The message says who wanted it and why not, in words for an operator. */
export class ListenError extends Error {
  /** The system's code (`EADDRINUSE`, `EACCES`, …), or `CERTIFICATE`, `ADDRESS` and `CLOSED`. */
  readonly code: string

  constructor(code: string, owner: string, address: string, why: string, options?: ErrorOptions) {
    super(`${owner}: can't listen on ${address}: ${why}`, options)
    this.name = 'ListenError'
    this.code = code
  }
}
