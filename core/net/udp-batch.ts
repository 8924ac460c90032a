/** A socket whose datagrams go through a batch. */
export interface BatchSocket {
  /** -1 where Node has made the socket, and tells no other. */
  readonly fd: number
  readonly isIpv6: boolean
  /** What waits in this process for room in the system's buffer, in bytes. */
  readonly queuedBytes: number
  /**
   * Sends datagrams by Node, behind what waits: they lie behind each other, all `datagramBytes` long but the last, which may be
   * shorter. Their bytes must not change while any wait.
   */
  queue(bytes: Buffer, datagramBytes: number, address: string, port: number): void
  /** Counts datagrams that the system refused. */
  refuse(count: number): void
}

/** What is sent within one turn of the event loop, and leaves at its end. */
export interface UdpBatch {
  /**
   * Copies datagrams that lie behind each other, all `datagramBytes` long but the last, which may be shorter.
   * @returns false where they can't be sent by a batch; what was added before has left then
   */
  add(socket: BatchSocket, bytes: Buffer, datagramBytes: number, address: string, port: number): boolean
  /** Sends what a socket has added, which is closed then. */
  release(socket: BatchSocket): void
}

/** What is kept until a batch leaves: the pictures of many viewers, and little enough for a processor's cache. */
export const BATCH_BYTES = 512 * 1024
