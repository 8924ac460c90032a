import { BlockList, isIP } from 'node:net'
import type { Logger } from 'pino'
import type { MachineAddresses, Net, UdpListener, UdpPeer } from 'sluice/sdk'
import { canonicalAddress, candidatePriority, isSameFamily, type LocalCandidate } from './ice-candidate.ts'
import { endText } from './ice-pair.ts'
import type { PortEntry } from './port-list.ts'

/** A UDP socket that sessions use. */
export type LocalSocket = {
  readonly listener: UdpListener
  readonly priority: number
}

export type LocalSocketsOptions = {
  readonly net: Pick<Net, 'addresses' | 'udp'>
  readonly log: Logger
  readonly entries: readonly PortEntry[]
  readonly onDatagram: (datagram: Buffer, peer: UdpPeer, socket: LocalSocket) => boolean
}

/** A machine with more addresses, as of many containers, uses those that it names first. */
const MAX_SOCKETS = 32
/** What the system may keep of datagrams each way: all sessions of an address share it. */
const BUFFER_BYTES = 4 * 1024 * 1024
/** What is answered where an address has gone, or there is no IPv6. */
const GONE_CODES = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])
/** Whose addresses come from no further than the networks of a site (RFC 6890). */
const LOCAL_NETWORKS = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  LOCAL_NETWORKS.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  LOCAL_NETWORKS.addSubnet(network, prefix, 'ipv6')

/**
 * The UDP sockets that all sessions share: one for each address of the machine, so that what is sent leaves from the
 * address that was asked.
 */
export class LocalSockets {
  readonly #options: LocalSocketsOptions
  readonly #sockets = new Map<string, LocalSocket>()
  /** Where they are to be, by the addresses that the machine has. */
  #wanted: ReadonlySet<string> = new Set()
  #openedCount = 0

  constructor(options: LocalSocketsOptions) {
    this.#options = options
  }

  /** Those of addresses that the machine has. */
  get all(): readonly LocalSocket[] {
    return [...this.#sockets].filter(([listenaddr]) => this.#wanted.has(listenaddr)).map(([, socket]) => socket)
  }

  /** @throws {Error} with a `code` when an address can't be bound */
  async open(): Promise<void> {
    this.#wanted = this.#list()
    for (const listenaddr of this.#wanted) await this.#openOne(listenaddr)
  }

  /**
   * Opens those of addresses that have come since. One that can't be bound is logged, and tried again the next time. Those of
   * addresses that have gone are not used, but stay, as these may come back.
   */
  async refresh(): Promise<void> {
    const former = this.#wanted
    this.#wanted = this.#list()
    for (const listenaddr of this.#wanted) {
      try {
        await this.#openOne(listenaddr)
      } catch (err) {
        const level = former.has(listenaddr) ? 'debug' : 'warn'
        this.#options.log[level]({ err, listenaddr }, 'a new address of the machine is not used for WebRTC')
      }
    }
  }

  #list(): Set<string> {
    const { outward, loopback } = this.#options.net.addresses()
    return new Set(
      this.#options.entries.flatMap((entry) => {
        if (entry.kind !== 'udp') return []
        const hosts = entry.host === undefined ? [...outward, ...loopback] : [entry.host]
        return hosts.map((host) => endText(host, entry.port))
      }),
    )
  }

  async #openOne(listenaddr: string): Promise<void> {
    if (this.#sockets.has(listenaddr) || !(await this.#makeRoom())) return
    const { net, log, onDatagram } = this.#options
    // The datagrams of an older generation's peers may come before the socket is known here.
    let socket: LocalSocket | undefined
    try {
      const receive = (datagram: Buffer, peer: UdpPeer) => socket !== undefined && onDatagram(datagram, peer, socket)
      const listener = await net.udp({ listenaddr, readbuffer: BUFFER_BYTES, writebuffer: BUFFER_BYTES }, receive)
      if (listener === undefined) return
      socket = { listener, priority: candidatePriority('host', this.#openedCount++) }
      this.#sockets.set(listenaddr, socket)
    } catch (err) {
      if (!(err instanceof Error && 'code' in err && GONE_CODES.has(String(err.code)))) throw err
      log.debug({ err, listenaddr }, 'an address of the machine is not used for WebRTC')
    }
  }

  /** Closes the oldest socket of an address that has gone, where there are many. */
  async #makeRoom(): Promise<boolean> {
    if (this.#sockets.size < MAX_SOCKETS) return true
    const gone = this.#sockets.entries().find(([listenaddr]) => !this.#wanted.has(listenaddr))
    if (gone === undefined) return false
    const [listenaddr, { listener }] = gone
    this.#sockets.delete(listenaddr)
    await listener.close()
    return true
  }
}

/** Where sessions can be reached: ports, each at one address or, without a host, at all. */
export type ReachablePort = {
  readonly transport: 'udp' | 'tcp'
  readonly host: string | undefined
  readonly port: number
}

/**
 * The candidates of this end: UDP before TCP, and the addresses first that the client probably reaches, as some clients try no
 * other: the public ones where it comes from the internet, else the machine's own. Loopback is told to clients that came by
 * it, and where there is nothing else.
 * @param client the address of the client, or the name or address of the server that is called
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
    const addresses = isOfInternet(client) ? [...inFront, ...own] : [...own, ...inFront]
    for (const address of addresses) candidates.push({ transport, address, port })
  }
  const reached = candidates.filter(({ address }) => !isLoopback(address))
  return unique(isClientLocal || reached.length === 0 ? candidates : reached)
}

/** Says whether datagrams may get from an address of this machine to one of a peer. */
export function mayReach(local: string, remote: string): boolean {
  if (isWildcard(local)) return local === '::' || isSameFamily(local, remote)
  return isSameFamily(local, remote) && isLoopback(local) === isLoopback(remote)
}

function isOfInternet(client: string | undefined): boolean {
  const address = canonicalAddress(client ?? '')
  const version = isIP(address)
  return version !== 0 && !LOCAL_NETWORKS.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

export function isLoopback(address: string): boolean {
  const canonical = canonicalAddress(address)
  return canonical === '::1' || canonical.startsWith('127.')
}

function isWildcard(address: string): boolean {
  return address === '::' || address === '0.0.0.0'
}

function unique(candidates: readonly LocalCandidate[]): LocalCandidate[] {
  const byEnd = new Map<string, LocalCandidate>()
  for (const candidate of candidates) {
    const end = `${candidate.transport} ${endText(candidate.address, candidate.port)}`
    if (!byEnd.has(end)) byEnd.set(end, candidate)
  }
  return [...byEnd.values()]
}
