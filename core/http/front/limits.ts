/** What the HTTP server endures from clients; routes may raise `maxBodyBytes` for themselves with `bodyLimit`. */
export type HttpLimits = {
  /** A connection that has not sent a request's headers by then is closed; also one that sends nothing at all. */
  readonly headersTimeoutMs: number
  /** A request that has not come in completely by then is closed. */
  readonly requestTimeoutMs: number
  /** A connection is kept this long for its next request. */
  readonly keepAliveTimeoutMs: number
  /**
   * A connection on which nothing moves in either direction is closed, unless it is the client that waits: for an answer,
   * or for more of one. Those upgraded to WebSocket stay open.
   */
  readonly idleTimeoutMs: number
  /** An upgrade that got no answer by then, and whose listeners do not say that they still work on one, is refused. */
  readonly upgradeTimeoutMs: number
  /** A connection that asks more while so many of its requests have no answer is closed. */
  readonly maxPipelinedRequests: number
  /** A turn of the event loop looks at pipelined requests, of all connections, for no longer than about this. */
  readonly pipelineBudgetMs: number
  /** HTTP/2: a client that asks more on a connection while so many of its requests have no answer is refused those. */
  readonly maxStreams: number
  /** HTTP/2: a connection that resets so many requests, and more a second than the next allows, is closed. */
  readonly maxStreamResets: number
  readonly streamResetsPerSecond: number
  /** How often the first two are looked at. */
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
