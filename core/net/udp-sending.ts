import type { Socket } from 'node:dgram'
import type { Logger } from 'pino'
import { DatagramBatch } from './datagram-batch.ts'
import { NodeBatch } from './node-batch.ts'
import { findSocketCalls, type SocketCallsFound } from './socket-calls.ts'
import type { UdpBatch } from './udp-batch.ts'

/**
 * Chooses how UDP sockets send: by `sendmmsg` where this process has it, whose messages the kernel cuts into datagrams where
 * it can (GSO), and else by Node, one system call for each datagram. The choice is made and logged with the first socket.
 */
export class UdpSending {
  readonly #log: Logger
  readonly #find: () => SocketCallsFound
  #found: SocketCallsFound | undefined
  /** The batch of all sockets that `bind` has returned a descriptor for. */
  #systemBatch: DatagramBatch | undefined
  #nodeBatch: NodeBatch | undefined

  /** @param find finds the system calls; those of this process, except in tests */
  constructor(log: Logger, find = findSocketCalls) {
    this.#log = log
    this.#find = find
  }

  /**
   * The batch that a socket sends by, which it shares with others.
   * @param fd the descriptor that `bind` has returned
   */
  batchFor(fd: number | undefined): UdpBatch {
    if (fd !== undefined && this.#systemBatch !== undefined) return this.#systemBatch
    return (this.#nodeBatch ??= new NodeBatch())
  }

  /**
   * Binds a socket of Node.
   * @returns its descriptor, for the system calls; undefined when only Node can send
   * @throws {Error} with a `code` when the address can't be bound; the socket may emit the error instead
   */
  bind(socket: Socket, host: string, port: number): number | undefined {
    const { calls } = this.#choose()
    const fd = calls?.bind(host, port)
    if (calls === undefined || fd === undefined) {
      socket.bind(port, host)
      return undefined
    }
    try {
      // Node does not expose the descriptor of a socket that it has made itself.
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
