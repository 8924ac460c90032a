/** What is known of an address that can't be listened on. */
type ListenFailure = {
  /** The system's code (`EADDRINUSE`, `EACCES`, …), or `CERTIFICATE`, `ADDRESS` and `CLOSED`. */
  readonly code: string
  /** Who wanted it. */
  readonly owner: string
  /** As in the config. */
  readonly address: string
  /** The key that names it, for example `rtmp.tcp.listenaddr`; undefined when none is known. */
  readonly key: string | undefined
  readonly why: string
  readonly cause?: unknown
}

/**
 * An address that can't be listened on. The message is one line for an operator: who wanted it, why it can't be had, and
 * what to do, with the key of the config.
 */
export class ListenError extends Error {
  readonly code: string

  constructor({ code, owner, address, key, why, cause }: ListenFailure) {
    const step = nextStep(code, why, key)
    super(`${owner}: can't listen on ${address}: ${why}${step === '' ? '' : `; ${step}`}`, { cause })
    this.name = 'ListenError'
    this.code = code
  }
}

/** Why an address can't be had that is free of others in this server. */
export const TAKEN_OUTSIDE = 'address already in use'

function nextStep(code: string, why: string, key: string | undefined): string {
  const change = key === undefined ? 'choose another address' : `change ${key}`
  switch (code) {
    case 'EADDRINUSE':
      return why === TAKEN_OUTSIDE ? `stop what has it (another Sluice?), or ${change}` : change
    case 'EACCES':
      return `allow ports below 1024 (setcap cap_net_bind_service, or AmbientCapabilities of systemd), or ${change}`
    case 'EADDRNOTAVAIL':
      return `name an address that this machine has, or only :port: ${change}`
    case 'CERTIFICATE':
    case 'CLOSED':
      return ''
    default:
      return change
  }
}
