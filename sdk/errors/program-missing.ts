import { SluiceError } from './sluice-error.ts'

/** A program that a plugin needs is not installed, or can't be run (`NO_PROGRAM`, 503). */
export class ProgramMissing extends SluiceError {
  /** @param command as it was asked for */
  constructor(command: string, options?: ErrorOptions) {
    super('NO_PROGRAM', 503, `the program '${command}' is not installed, or can't be run`, options)
  }
}
