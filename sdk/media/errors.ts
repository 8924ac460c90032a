const BRAND = Symbol.for('sluice.MalformedError')

/** Bytes from outside that break their format's rules. The message names what, where and the offending value. */
export class MalformedError extends Error {
  readonly code = 'MALFORMED'
  readonly [BRAND] = true

  constructor(message: string) {
    super(message)
    this.name = 'MalformedError'
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value
  }
}
