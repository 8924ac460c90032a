import { SluiceError } from '../errors/sluice-error.ts'

/** A push of this stream to this address exists already (api.md 1.1). */
export class PushExists extends SluiceError {
  constructor() {
    super('PUSH_EXISTS', 409, 'push remote url exist')
  }
}
