import { StreamUnavailable } from 'sluice/sdk'

/** Another process does not answer (503). A client that gets this error may try again soon. */
export class PeerAway extends StreamUnavailable {
  readonly headers = { 'retry-after': '2' }

  constructor(process: number, options?: ErrorOptions) {
    super(`process ${process} of the server does not answer`, options)
  }
}
