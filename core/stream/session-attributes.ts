import { BlockList, isIP } from 'node:net'
import type { Attributes } from '@opentelemetry/api'
import type { SessionInit } from 'sluice/sdk'

/** The class of a session's peer address; `none` where the server itself made the session. */
type AddressClass = 'none' | 'loopback' | 'private' | 'public'

const LOOPBACK = blockList(['127.0.0.0', 8], ['::1', 128])
/** The private networks: RFC 1918, RFC 6598 (between a provider and its customers), link-local addresses, RFC 4193. */
const PRIVATE = blockList(
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['fe80::', 10],
  ['fc00::', 7],
)

/** The attributes of a session in traces: neither its query nor its peer's address. */
export function sessionAttributes({ streamPath, type = 'server', client }: SessionInit, protocol: string): Attributes {
  return {
    'sluice.stream_path': streamPath,
    'sluice.protocol': protocol,
    'sluice.session_type': type,
    'sluice.client_class': addressClass(client.ip),
  }
}

/** The class of an IPv4 or IPv6 address. */
function addressClass(ip: string): AddressClass {
  const family = isIP(ip) === 6 ? 'ipv6' : 'ipv4'
  if (isIP(ip) === 0) return 'none'
  if (LOOPBACK.check(ip, family)) return 'loopback'
  return PRIVATE.check(ip, family) ? 'private' : 'public'
}

function blockList(...networks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [address, bits] of networks) list.addSubnet(address, bits, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return list
}
