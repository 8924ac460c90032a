const BRAND = Symbol.for('sluice.SluiceError')

/**
 * A named error: `code` stays the same from version to version, `statusCode` is the corresponding HTTP status (docs/errors.md
 * lists those of the server). `message` may be shown to a client, `cause` never.
 *
 * `instanceof SluiceError` holds also for errors of another copy of the sdk; `code` identifies the error.
 */
export class SluiceError extends Error {
  readonly code: string
  readonly statusCode: number
  readonly [BRAND] = true

  /**
   * @param code upper case with underscores; a plugin's own must be none of the server's
   * @param statusCode 400 to 599; 302 is for `StreamRedirect`
   */
  constructor(code: string, statusCode: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
    this.statusCode = statusCode
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== SluiceError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return typeof value === 'object' && value !== null && BRAND in value
  }
}
