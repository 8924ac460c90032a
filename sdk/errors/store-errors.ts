import { SluiceError } from './sluice-error.ts'

/** There is no database, or it is away, full or stopping (`NO_DB`, 503). The database did nothing of the request. */
export class StoreUnavailable extends SluiceError {
  /** @param reason the cause, which clients may see */
  constructor(reason: string, options?: ErrorOptions) {
    super('NO_DB', 503, `no db: ${reason}`, options)
  }
}

/** The row would have a value that only one row may have, and another one has it (`NOT_UNIQUE`, 409). */
export class NotUnique extends SluiceError {
  constructor(options?: ErrorOptions) {
    super('NOT_UNIQUE', 409, 'there is one already', options)
  }
}
