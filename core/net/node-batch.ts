import { BATCH_BYTES, type BatchSocket, type UdpBatch } from './udp-batch.ts'

/** Adjacent datagrams to one peer. */
type Run = {
  readonly socket: BatchSocket
  readonly start: number
  readonly end: number
  readonly datagramBytes: number
  readonly address: string
  readonly port: number
}

/**
 * Sends by Node, a system call for each datagram, but one right after the other: a receiver on this machine then stays awake
 * from the first to the last, which costs fewer wake-ups. All sockets share its memory.
 */
export class NodeBatch implements UdpBatch {
  #arena = Buffer.allocUnsafeSlow(BATCH_BYTES)
  #usedBytes = 0
  #runs: Run[] = []
  #scheduled = false
  readonly #onTurnEnd = () => {
    this.#scheduled = false
    this.flush()
  }

  add(socket: BatchSocket, bytes: Buffer, datagramBytes: number, address: string, port: number): boolean {
    const fits = bytes.length > 0 && bytes.length <= BATCH_BYTES
    if (!fits || this.#usedBytes + bytes.length > BATCH_BYTES) this.flush()
    if (!fits) return false
    const start = this.#usedBytes
    this.#usedBytes += bytes.copy(this.#arena, start)
    this.#runs.push({ socket, start, end: this.#usedBytes, datagramBytes, address, port })
    if (!this.#scheduled) {
      this.#scheduled = true
      setImmediate(this.#onTurnEnd)
    }
    return true
  }

  /** Sends the collected datagrams. */
  flush(): void {
    const runs = this.#runs
    this.#runs = []
    this.#usedBytes = 0
    let waits = false
    for (const run of runs) {
      this.#send(run)
      waits ||= run.socket.queuedBytes > 0
    }
    // Node's queue still reads the datagrams that wait from the old memory.
    if (waits) this.#arena = Buffer.allocUnsafeSlow(BATCH_BYTES)
  }

  release(socket: BatchSocket): void {
    if (this.#runs.some((run) => run.socket === socket)) this.flush()
  }

  /**
   * Sends a run of datagrams. Behind others that wait it will wait, too, so it gets a copy, which does not hold the memory
   * of the whole batch.
   */
  #send({ socket, start, end, datagramBytes, address, port }: Run): void {
    const part = this.#arena.subarray(start, end)
    socket.queue(socket.queuedBytes > 0 ? Buffer.from(part) : part, datagramBytes, address, port)
  }
}
