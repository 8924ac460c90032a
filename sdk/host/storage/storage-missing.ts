import { SluiceError } from '../../errors/sluice-error.ts'

/** The folder of a storage is not what it was: its disk is not mounted, or another one is. */
export class StorageMissing extends SluiceError {
  /** For the log of an operator: the folder, what is wrong with it, and what helps. */
  readonly advice: string

  constructor(advice: string, options?: ErrorOptions) {
    super('STORAGE_MISSING', 503, 'the storage is not there at present', options)
    this.advice = advice
  }
}
