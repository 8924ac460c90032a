/** The details of an address that can't be listened on. */
type ListenFailure = {
  /** The system's code (`EADDRINUSE`, `EACCES`, …), or `CERTIFICATE`, `ADDRESS` and `CLOSED`. */
  readonly code: string
  /** The plugin or part of the server that asked for the address. */
  readonly owner: string
  /** The address as in the config. */
  readonly address: string
  /** The config key of the address, for example `rtmp.tcp.listenaddr`; undefined when none is known. */
  readonly key: string | undefined
  readonly why: string
  readonly cause?: unknown
}

/**
 * An address that can't be listened on. The message is one line for an operator: the owner, the reason, and the config key
 * to change.
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

/** The reason when another program has the address. */
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
