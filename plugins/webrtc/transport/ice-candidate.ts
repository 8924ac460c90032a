import { isIP } from 'node:net'
import { canonicalAddress, isWildcard } from './ip-address.ts'
import type { IceCandidateLine } from './transport-description.ts'

export type IceTransport = 'udp' | 'tcp'

/** An address of this end, for the peer. */
export type LocalCandidate = {
  readonly transport: IceTransport
  readonly address: string
  readonly port: number
}

/** An address from the peer's candidates. */
export type RemoteCandidate = { readonly address: string; readonly port: number; readonly priority: number }

/** The longest line that is read; those of real peers have less than 200 characters. */
const MAX_LINE_LENGTH = 512
const MAX_PORT = 65_535
const MAX_PRIORITY = 2 ** 31 - 1
/** The preferences of the types (RFC 8445 5.1.2.2). TCP is below UDP whatever its type (RFC 6544 4.2). */
const TYPE_PREFERENCE = { host: 126, peerReflexive: 110, tcp: 90 } as const
/** The only component: RTCP comes with RTP. */
const COMPONENT = 1
/** The direction of a passive candidate, in the upper bits of the local preference (RFC 6544 4.2). */
const TCP_PASSIVE_DIRECTION = 4

/**
 * The priority of a candidate (RFC 8445 5.1.2.1).
 * @param rank its place among the candidates of its kind, the best being 0
 */
export function candidatePriority(type: keyof typeof TYPE_PREFERENCE, rank: number): number {
  const localPreference = type === 'tcp' ? TCP_PASSIVE_DIRECTION * 2 ** 13 + 8191 - rank : 65_535 - rank
  return TYPE_PREFERENCE[type] * 2 ** 24 + localPreference * 2 ** 8 + 256 - COMPONENT
}

/** The priority of a pair (RFC 8445 6.1.2.3), which needs 63 bits. */
export function pairPriority(controlling: number, controlled: number): bigint {
  const [lower, higher] = controlling < controlled ? [controlling, controlled] : [controlled, controlling]
  return 2n ** 32n * BigInt(lower) + 2n * BigInt(higher) + (controlling > controlled ? 1n : 0n)
}

/** The lines of this end's candidates, which are given in order of preference. */
export function candidateLines(candidates: readonly LocalCandidate[]): IceCandidateLine[] {
  return candidates.map((candidate, rank) => candidateLine(candidate, rank))
}

/**
 * Writes a candidate. Public addresses of a NAT before this machine are `host`, too: some clients read no other type, and the NAT passes on
 * everything sent to them.
 */
function candidateLine({ transport, address, port }: LocalCandidate, rank: number): IceCandidateLine {
  const priority = candidatePriority(transport === 'tcp' ? 'tcp' : 'host', rank)
  // Each candidate has a foundation of its own, as the peer checks those with the same one by one.
  const line = `${rank + 1} ${COMPONENT} ${transport} ${priority} ${address} ${port} typ host`
  return transport === 'tcp' ? `${line} tcptype passive` : line
}

/**
 * Reads a candidate that checks can be sent to.
 * @param line the value of `a=candidate`, with or without that
 * @returns undefined for a malformed line, a name instead of an address (mDNS), and for TCP, where the peer connects
 */
export function parseRemoteCandidate(line: IceCandidateLine): RemoteCandidate | undefined {
  if (line.length > MAX_LINE_LENGTH) return undefined
  const words = line
    .replace(/^(?:a=)?candidate:/, '')
    .trim()
    .split(/ +/)
  const [, component, transport = '', priorityText, address = '', portText, typ] = words
  const priority = Number(priorityText)
  const port = Number(portText)
  if (component !== String(COMPONENT) || transport.toLowerCase() !== 'udp' || typ !== 'typ') return undefined
  if (isIP(address) === 0 || address.includes('%') || isUnspecified(address)) return undefined
  if (!Number.isInteger(port) || port < 1 || port > MAX_PORT) return undefined
  if (!Number.isInteger(priority) || priority < 1 || priority > MAX_PRIORITY) return undefined
  return { address: canonicalAddress(address), port, priority }
}

function isUnspecified(address: string): boolean {
  return isWildcard(canonicalAddress(address))
}
