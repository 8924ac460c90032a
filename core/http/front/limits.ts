/** The limits of the HTTP server for its clients; routes may raise `maxBodyBytes` for themselves with `bodyLimit`. */
export type HttpLimits = {
  /** The time for a request's headers; a connection that has not sent them by then, or nothing at all, is closed. */
  readonly headersTimeoutMs: number
  /** The time for a whole request; a connection with an incomplete one is closed. */
  readonly requestTimeoutMs: number
  /** The time for which a connection is kept for its next request. */
  readonly keepAliveTimeoutMs: number
  /**
   * The longest time in which nothing moves on a connection in either direction; it is then closed, unless it is the client
   * that waits: for an answer, or for more of one. Connections that were upgraded to WebSocket stay open.
   */
  readonly idleTimeoutMs: number
  /** The time for the answer to an upgrade; it is then refused, unless one of its listeners still works on an answer. */
  readonly upgradeTimeoutMs: number
  /** The most requests without an answer on a connection; with a further one, it is closed. */
  readonly maxPipelinedRequests: number
  /** The time, roughly, that a turn of the event loop spends on pipelined requests of all connections. */
  readonly pipelineBudgetMs: number
  /** HTTP/2: the most requests without an answer on a connection; further ones are refused. */
  readonly maxStreams: number
  /** HTTP/2: the most requests that a connection may reset at once; with more, beyond `streamResetsPerSecond`, it is closed. */
  readonly maxStreamResets: number
  readonly streamResetsPerSecond: number
  /** The interval at which the first two limits are checked. */
  readonly checkIntervalMs: number
  readonly maxHeaderBytes: number
  readonly maxUrlLength: number
  readonly maxBodyBytes: number
}

export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 30_000,
  idleTimeoutMs: 60_000,
  upgradeTimeoutMs: 60_000,
  maxPipelinedRequests: 32,
  pipelineBudgetMs: 5,
  maxStreams: 128,
  maxStreamResets: 200,
  streamResetsPerSecond: 20,
  checkIntervalMs: 1_000,
  maxHeaderBytes: 16_384,
  maxUrlLength: 8_192,
  maxBodyBytes: 4_194_304,
}
