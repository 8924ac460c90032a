/** Takes the packets of a connection to its peer; a flow of the host's UDP listener is one. */
export interface PacketSink {
  /** Sends consecutive packets, all `datagramBytes` long but the last, which may be shorter. The bytes are read before it returns. */
  sendRun(bytes: Buffer, datagramBytes: number): void
  /** Sends packets; the caller does not change their bytes afterwards. */
  send(datagrams: readonly Buffer[]): void
}
