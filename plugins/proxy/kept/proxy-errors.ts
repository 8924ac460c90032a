import { SluiceError } from 'sluice/sdk'

/** Another proxy that is enabled has the stream path, or sends the stream to the same address. */
export class ProxyExists extends SluiceError {
  constructor(message: string) {
    super('PROXY_EXISTS', 409, message)
  }
}

/** The proxy stands in the config file alone. */
export class ProxyFixed extends SluiceError {
  constructor() {
    super('PROXY_FIXED', 409, 'this proxy stands in the config file without an id: change it there')
  }
}
