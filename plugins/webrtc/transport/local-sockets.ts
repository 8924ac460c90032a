import type { Logger } from 'pino'
import type { Net, UdpListener, UdpPeer } from 'sluice/sdk'
import { candidatePriority } from './ice-candidate.ts'
import { endText } from './ice-pair.ts'
import type { PortEntry } from './port-list.ts'

/** A UDP socket that sessions share. */
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

/** The most sockets; a machine with more addresses, such as one with many containers, uses the first ones. */
const MAX_SOCKETS = 32
/** The size of the system's buffers each way, which all sessions of an address share. */
const BUFFER_BYTES = 4 * 1024 * 1024
/** The error codes for an address that has gone, and for a machine without IPv6. */
const GONE_CODES = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** The UDP sockets that all sessions share: one for each address of the machine, so that answers leave from the address that was asked. */
export class LocalSockets {
  readonly #options: LocalSocketsOptions
  readonly #sockets = new Map<string, LocalSocket>()
  /** The addresses that the machine has now. */
  #wanted: ReadonlySet<string> = new Set()
  #openedCount = 0

  constructor(options: LocalSocketsOptions) {
    this.#options = options
  }

  /** The sockets of addresses that the machine has. */
  get all(): readonly LocalSocket[] {
    return [...this.#sockets].filter(([listenaddr]) => this.#wanted.has(listenaddr)).map(([, socket]) => socket)
  }

  /** @throws {Error} with a `code` when an address can't be bound */
  async open(): Promise<void> {
    this.#wanted = this.#list()
    for (const listenaddr of this.#wanted) await this.#openOne(listenaddr)
  }

  /**
   * Opens the sockets of addresses that have come since. One that can't be bound is logged, and tried again the next time. Those of
   * addresses that have gone are not used, but stay, as the addresses may come back.
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

  /** Closes the oldest socket of an address that has gone, when there are many. */
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
