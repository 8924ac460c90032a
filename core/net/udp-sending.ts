import type { Socket } from 'node:dgram'
import type { Logger } from 'pino'
import { DatagramBatch } from './datagram-batch.ts'
import { NodeBatch } from './node-batch.ts'
import { findSocketCalls, type SocketCallsFound } from './socket-calls.ts'
import type { UdpBatch } from './udp-batch.ts'

/**
 * How UDP sockets send: by `sendmmsg` where this process has it, whose messages the kernel cuts into datagrams where it can
 * (GSO), and else by Node, one system call a datagram. It is chosen, and told, with the first socket.
 */
export class UdpSending {
  readonly #log: Logger
  readonly #find: () => SocketCallsFound
  #found: SocketCallsFound | undefined
  /** Of all sockets that `bind` has given a descriptor. */
  #systemBatch: DatagramBatch | undefined
  #nodeBatch: NodeBatch | undefined

  /** @param find what there is; that of this process, but in tests */
  constructor(log: Logger, find = findSocketCalls) {
    this.#log = log
    this.#find = find
  }

  /** What a socket sends by, which is shared with others. @param fd what `bind` has given */
  batchFor(fd: number | undefined): UdpBatch {
    if (fd !== undefined && this.#systemBatch !== undefined) return this.#systemBatch
    return (this.#nodeBatch ??= new NodeBatch())
  }

  /**
   * Binds a socket of Node.
   * @returns its descriptor, by which the system's calls can send; undefined where only Node can
   * @throws {Error} with a `code` when the address can't be bound, or the socket emits that
   */
  bind(socket: Socket, host: string, port: number): number | undefined {
    const { calls } = this.#choose()
    const fd = calls?.bind(host, port)
    if (calls === undefined || fd === undefined) {
      socket.bind(port, host)
      return undefined
    }
    try {
      // Node does not tell the descriptor of a socket that it has made itself.
      socket.bind({ fd })
    } catch (error) {
      calls.close(fd)
      throw error
    }
    calls.forbidReuse(fd)
    return fd
  }

  #choose(): SocketCallsFound {
    if (this.#found !== undefined) return this.#found
    const found = this.#find()
    this.#found = found
    const { calls, why } = found
    if (calls === undefined) {
      this.#log.info({ why }, 'UDP is sent by Node, one datagram at a time')
      return found
    }
    this.#systemBatch = new DatagramBatch(calls, calls.canSegment)
    this.#log.info(`UDP is sent in batches, by sendmmsg ${calls.canSegment ? 'with' : 'without'} GSO`)
    return found
  }
}
