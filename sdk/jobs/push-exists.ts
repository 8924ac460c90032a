import { SluiceError } from '../errors/sluice-error.ts'

/** There is a push of this stream to this address (api.md 1.1). */
export class PushExists extends SluiceError {
  constructor() {
    super('PUSH_EXISTS', 409, 'push remote url exist')
  }
}
