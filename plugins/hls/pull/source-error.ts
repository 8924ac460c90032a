/** A source can't be pulled, or a part of it can't; the message holds nothing secret. */
export class SourceError extends Error {
  /** Trying another part of the source would not help. */
  readonly fatal: boolean

  constructor(message: string, options: { readonly fatal?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'SourceError'
    this.fatal = options.fatal ?? false
  }
}
