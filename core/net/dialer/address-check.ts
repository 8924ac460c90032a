import type { NetworkList } from '../network-list.ts'
import { normalizeIp } from '../network-list.ts'
import { DialError } from './dial-error.ts'

/** Networks that connections may not go to. */
export type DeniedNetworks = Pick<NetworkList, 'isEmpty' | 'includes'>

/** Where the addresses lead that name no machine. */
const UNSPECIFIED: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** Whether connections may go to an address: IPv4 also where it is mapped into IPv6, and whatever zone it is of. */
export function isAllowed(denied: DeniedNetworks, address: string): boolean {
  if (denied.isEmpty) return true
  const ip = normalizeIp(address.replace(/%.*$/su, ''))
  if (ip === undefined) return false
  return !denied.includes(ip) && !denied.includes(UNSPECIFIED[ip] ?? ip)
}

/**
 * The addresses that connections may go to.
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

/** What is said of an address that may not be reached. */
export function denialOf(address: string): string {
  return `the address ${address} is denied by global.pull.deny`
}
