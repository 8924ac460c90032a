import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import os, { type NetworkInterfaceInfo } from 'node:os'
import { isIP } from 'node:net'
import type { MachineAddresses } from 'sluice/sdk'
import { normalizeIp } from './network-list.ts'

/** The port of the look-up, which does not matter: nothing is sent there. */
const ANY_PORT = 9
const LINK_LOCAL = /^(?:169\.254\.|fe[89ab][\da-f]:)/i

/** The first address by which other machines can reach this one, IPv4 before IPv6; undefined where it has none. */
export function localAddress(): string | undefined {
  const outward = interfaceAddresses().filter(({ internal }) => !internal)
  const preferred = outward.find(({ family }) => family === 'IPv4') ?? outward.find(({ scopeid }) => !scopeid)
  return preferred?.address
}

/**
 * The addresses by which this machine can be reached.
 * @param configured the public addresses of the config; a text that is no address is ignored
 */
export function machineAddresses(
  configured: { readonly publicip: string; readonly publicipv6: string },
  interfaces = interfaceAddresses(),
): MachineAddresses {
  const ipv4First = [
    ...interfaces.filter(({ family }) => family === 'IPv4'),
    ...interfaces.filter(({ family }) => family === 'IPv6'),
  ]
  const usable = ipv4First.filter(({ address }) => !LINK_LOCAL.test(address))
  const addressesOf = (isInternal: boolean) =>
    usable.filter(({ internal }) => internal === isInternal).map(({ address }) => address)
  return {
    outward: addressesOf(false),
    loopback: addressesOf(true),
    publicIpv4: isIP(configured.publicip) === 4 ? configured.publicip : undefined,
    publicIpv6: isIP(configured.publicipv6) === 6 ? configured.publicipv6 : undefined,
  }
}

/**
 * Returns the local address from which the system would send to an address.
 * @throws {Error} when the text is no IP address, or there is no route to it
 */
export async function addressToward(ip: string): Promise<string> {
  // A link-local address has a zone, which `normalizeIp` does not accept.
  const peer = normalizeIp(ip) ?? ip
  if (isIP(peer) === 0) throw new Error('the address of the peer is no IP address')
  const socket = createSocket(isIP(peer) === 6 ? 'udp6' : 'udp4')
  try {
    // Connecting a UDP socket only looks the route up, and sends nothing.
    const connected = once(socket, 'connect')
    socket.connect(ANY_PORT, peer)
    await connected
    return socket.address().address
  } finally {
    socket.close()
  }
}

function interfaceAddresses(): NetworkInterfaceInfo[] {
  return Object.values(os.networkInterfaces()).flatMap((list) => list ?? [])
}
