type StorageErrorOptions = ErrorOptions & {
  /** True when the same request may succeed another time without a change of the config. */
  readonly passes: boolean
}

/** A file could not be stored or read. The message is one line for an operator, and holds nothing secret. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError'
  readonly passes: boolean

  constructor(message: string, { passes, ...options }: StorageErrorOptions) {
    super(message, options)
    this.passes = passes
  }
}
