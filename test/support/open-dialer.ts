import type { Dialer } from 'sluice/sdk'
import { createDialer, type DialerOptions } from '../../core/net/dialer/dialer.ts'

/** The server's dialer, by which connections may go anywhere. */
export function openDialer(options: Pick<DialerOptions, 'lookup'> = {}): Dialer {
  return createDialer({ ...options, deny: { isEmpty: true, includes: () => false } })
}
