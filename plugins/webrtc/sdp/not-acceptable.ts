import { SluiceError } from 'sluice/sdk'

/** The two ends have no codec in common (`NOT_ACCEPTABLE`, 406); the message contains the codecs that would work. */
export class NotAcceptable extends SluiceError {
  constructor(message: string) {
    super('NOT_ACCEPTABLE', 406, message)
  }
}
