import { BlockList, isIP, isIPv4 } from 'node:net'

/** The private and local networks (RFC 6890). */
const LOCAL_NETWORKS = new BlockList()
for (const [network, prefix, family] of [
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['::1', 128, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
] as const)
  LOCAL_NETWORKS.addSubnet(network, prefix, family)

/** The canonical spelling of an address; one of IPv4 that is mapped into IPv6 becomes one of IPv4. */
export function canonicalAddress(address: string): string {
  if (isIP(address) !== 6) return address
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(groups)
  if (mapped === null) return groups
  const [high, low] = [Number.parseInt(mapped[1]!, 16), Number.parseInt(mapped[2]!, 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

export function isSameFamily(one: string, other: string): boolean {
  return isIPv4(one) === isIPv4(other)
}

export function isLoopback(address: string): boolean {
  const canonical = canonicalAddress(address)
  return canonical === '::1' || canonical.startsWith('127.')
}

/** True for an address that stands for all addresses. */
export function isWildcard(address: string): boolean {
  return address === '::' || address === '0.0.0.0'
}

/** True for an address that is neither private nor of this machine. */
export function isOfInternet(text: string): boolean {
  const address = canonicalAddress(text)
  const version = isIP(address)
  return version !== 0 && !LOCAL_NETWORKS.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** True when datagrams may get from an address of this machine to one of a peer. */
export function mayReach(local: string, remote: string): boolean {
  if (isWildcard(local)) return local === '::' || isSameFamily(local, remote)
  return isSameFamily(local, remote) && isLoopback(local) === isLoopback(remote)
}
