const BRAND = Symbol.for('sluice.MalformedError')

/** Thrown for bytes from outside that break the rules of their format. The message names what, where and the value. */
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
