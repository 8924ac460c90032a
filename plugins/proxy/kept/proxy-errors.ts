import { SluiceError } from 'sluice/sdk'

/** Another proxy that is enabled has the stream path, or sends the stream to the same address (`PROXY_EXISTS`, 409). */
export class ProxyExists extends SluiceError {
  constructor(message: string) {
    super('PROXY_EXISTS', 409, message)
  }
}

/** The proxy is in the config file only, without an id, so it can't be changed here (`PROXY_FIXED`, 409). */
export class ProxyFixed extends SluiceError {
  constructor() {
    super('PROXY_FIXED', 409, 'this proxy stands in the config file without an id: change it there')
  }
}
