/** A socket whose datagrams go through a batch. */
export interface BatchSocket {
  /** The file descriptor; -1 when Node has made the socket, as Node does not expose it. */
  readonly fd: number
  readonly isIpv6: boolean
  /** The bytes in this process that wait for room in the system's buffer. */
  readonly queuedBytes: number
  /**
   * Sends adjacent datagrams by Node, behind those that wait; all are `datagramBytes` long but the last, which may be
   * shorter. Their bytes must not change while any of them waits.
   */
  queue(bytes: Buffer, datagramBytes: number, address: string, port: number): void
  /** Counts datagrams that the system refused. */
  refuse(count: number): void
}

/** Collects the datagrams of one turn of the event loop, and sends them at its end. */
export interface UdpBatch {
  /**
   * Copies adjacent datagrams, all `datagramBytes` long but the last, which may be shorter.
   * @returns false when they can't be sent by a batch; the datagrams added before are sent first then
   */
  add(socket: BatchSocket, bytes: Buffer, datagramBytes: number, address: string, port: number): boolean
  /** Sends the datagrams of a socket that is being closed. */
  release(socket: BatchSocket): void
}

/** The most bytes of a batch: enough for the frames of many viewers, and little enough for a processor's cache. */
export const BATCH_BYTES = 512 * 1024
