import { isIP } from 'node:net'
import { canonicalAddress, isWildcard } from './ip-address.ts'
import type { IceCandidateLine } from './transport-description.ts'

export type IceTransport = 'udp' | 'tcp'

/** An address of this end, to be told to the peer. */
export type LocalCandidate = {
  readonly transport: IceTransport
  readonly address: string
  readonly port: number
}

/** An address that the peer told of. */
export type RemoteCandidate = { readonly address: string; readonly port: number; readonly priority: number }

/** Longer lines are left out: those that peers write have less than 200 characters. */
const MAX_LINE_LENGTH = 512
const MAX_PORT = 65_535
const MAX_PRIORITY = 2 ** 31 - 1
/** By preference (RFC 8445 5.1.2.2). TCP is below UDP whatever its type (RFC 6544 4.2). */
const TYPE_PREFERENCE = { host: 126, peerReflexive: 110, tcp: 90 } as const
/** The only one: RTCP comes with RTP. */
const COMPONENT = 1
/** RFC 6544 4.2: of a passive candidate, in the upper bits of the local preference. */
const TCP_PASSIVE_DIRECTION = 4

/**
 * The priority of a candidate (RFC 8445 5.1.2.1).
 * @param rank its place among those of its kind, the best being 0
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

/** The lines of the candidates of this end, the best one first as they are given. */
export function candidateLines(candidates: readonly LocalCandidate[]): IceCandidateLine[] {
  return candidates.map((candidate, rank) => candidateLine(candidate, rank))
}

/** Those of a NAT before this machine are `host`, too: some clients read no others, and all that is sent to them comes here. */
function candidateLine({ transport, address, port }: LocalCandidate, rank: number): IceCandidateLine {
  const priority = candidatePriority(transport === 'tcp' ? 'tcp' : 'host', rank)
  // Those of one foundation are checked one after the other by the peer: each has its own.
  const line = `${rank + 1} ${COMPONENT} ${transport} ${priority} ${address} ${port} typ host`
  return transport === 'tcp' ? `${line} tcptype passive` : line
}

/**
 * Reads a candidate that checks can be sent to.
 * @param line as in `a=candidate`, with or without that
 * @returns undefined for what makes no sense, names instead of addresses (mDNS), and for TCP, where the peer connects
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
