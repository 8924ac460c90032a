import { SluiceError } from '../../errors/sluice-error.ts'

/** The folder of a storage is not what it was: its disk is not mounted, or another one is. */
export class StorageMissing extends SluiceError {
  /** The text for an operator's log: the folder, its fault, and the remedy. */
  readonly advice: string

  constructor(advice: string, options?: ErrorOptions) {
    super('STORAGE_MISSING', 503, 'the storage is not there at present', options)
    this.advice = advice
  }
}
