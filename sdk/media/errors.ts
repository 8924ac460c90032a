const BRAND = Symbol.for('sluice.MalformedError')
const LIMIT_BRAND = Symbol.for('sluice.MovieLimitError')

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

/** Thrown for media that a file has no room for, or that are more than a limit here; the message has the remedy. */
export class MovieLimitError extends RangeError {
  readonly code = 'MOVIE_LIMIT'
  readonly [LIMIT_BRAND] = true

  constructor(message: string) {
    super(message)
    this.name = 'MovieLimitError'
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && LIMIT_BRAND in value
  }
}
