import type { MachineAddresses } from 'sluice/sdk'
import type { LocalCandidate } from './ice-candidate.ts'
import { endText } from './ice-pair.ts'
import { isLoopback, isOfInternet, isSameFamily } from './ip-address.ts'

/** A port on which sessions can be reached, at one address or, without a host, at all. */
export type ReachablePort = {
  readonly transport: 'udp' | 'tcp'
  readonly host: string | undefined
  readonly port: number
}

/**
 * The candidates of this end: UDP before TCP, and the addresses first that the client probably reaches, as some clients try no other: the
 * public ones for clients from the internet, else the machine's own. Loopback addresses are among them for clients that use one, and when
 * there are no others.
 */
export function localCandidates(
  ports: readonly ReachablePort[],
  { outward, loopback, publicIpv4, publicIpv6 }: MachineAddresses,
  client: string | undefined,
): LocalCandidate[] {
  const isClientLocal = client !== undefined && isLoopback(client)
  const candidates: LocalCandidate[] = []
  const udpFirst = ports.toSorted((one, other) => Number(one.transport === 'tcp') - Number(other.transport === 'tcp'))
  for (const { transport, host, port } of udpFirst) {
    const own = host === undefined ? [...outward, ...loopback] : [host]
    const publicOnes = [publicIpv4, publicIpv6].filter((address) => address !== undefined)
    const inFront = publicOnes.filter((address) => own.some((one) => isSameFamily(one, address) && !isLoopback(one)))
    const addresses = isOfInternet(client ?? '') ? [...inFront, ...own] : [...own, ...inFront]
    for (const address of addresses) candidates.push({ transport, address, port })
  }
  const reached = candidates.filter(({ address }) => !isLoopback(address))
  return unique(isClientLocal || reached.length === 0 ? candidates : reached)
}

function unique(candidates: readonly LocalCandidate[]): LocalCandidate[] {
  const byEnd = new Map<string, LocalCandidate>()
  for (const candidate of candidates) {
    const end = `${candidate.transport} ${endText(candidate.address, candidate.port)}`
    if (!byEnd.has(end)) byEnd.set(end, candidate)
  }
  return [...byEnd.values()]
}
