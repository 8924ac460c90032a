import type { NetworkList } from '../network-list.ts'
import { normalizeIp } from '../network-list.ts'
import { DialError } from './dial-error.ts'

/** Networks that connections may not go to. */
export type DeniedNetworks = Pick<NetworkList, 'isEmpty' | 'includes'>

/** The addresses that the unspecified addresses lead to. */
const UNSPECIFIED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/**
 * True when connections may go to an address. IPv4 addresses that are mapped into IPv6 are checked, too, and zones are
 * ignored.
 */
export function isAllowed(denied: DeniedNetworks, address: string): boolean {
  if (denied.isEmpty) return true
  const ip = normalizeIp(address.replace(/%.*$/su, ''))
  if (ip === undefined) return false
  return !denied.includes(ip) && !denied.includes(UNSPECIFIED[ip] ?? ip)
}

/**
 * Returns the addresses that connections may go to.
 * @throws {DialError} when there are none
 */
export function allowedOf<Address extends { readonly address: string }>(
  denied: DeniedNetworks,
  addresses: readonly Address[],
): Address[] {
  const allowed = addresses.filter(({ address }) => isAllowed(denied, address))
  if (allowed.length === 0) throw new DialError(denialOf(addresses[0]?.address ?? 'nothing'))
  return allowed
}

/** The message for an address that connections may not go to. */
export function denialOf(address: string): string {
  return `the address ${address} is denied by global.pull.deny`
}
