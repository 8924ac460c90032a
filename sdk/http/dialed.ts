import type { Socket } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import type { Dialer } from '../stream/dialer.ts'

/** Largest head of an answer that is read. */
const MAX_HEADER_BYTES = 32 * 1024
/** The longest time from a request to the head of its answer. */
const HEADERS_TIMEOUT_MS = 30_000
/** The time that a connection without request is kept, unless its server states another; and the longest time in any case. */
const KEEP_ALIVE_MS = 10_000
const MAX_KEEP_ALIVE_MS = 60_000
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 }

/** The options of requests by a dialer. */
export type DialedOptions = {
  /** Ends requests under way and kept connections when it aborts. */
  readonly signal: AbortSignal
}

/**
 * Makes requests go by the connections of a dialer: a dispatcher for `undici.fetch` and `undici.request`, which keeps
 * connections for further requests. They are HTTP/1.1, and certificates are checked. How long a body may take or be silent is
 * for the caller to bound.
 */
export async function httpDispatcher(dial: Dialer, { signal }: DialedOptions): Promise<Dispatcher> {
  // Most servers make no requests, and it takes 10 MB.
  const { Agent } = await import('undici')
  const agent = new Agent({
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    connect({ hostname, port, protocol }, done) {
      void handOver(dialHttp(dial, { hostname, port, protocol }, { signal }), done)
    },
  })
  // Requests under way reject by themselves.
  const end = () => void agent.destroy().catch(() => undefined)
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return agent
}

/**
 * Opens a connection to the server of an address (`http`, `https`, `ws` or `wss`), for a caller that speaks HTTP on it
 * itself. A client of `ws` takes it as `createConnection: () => socket`.
 * @throws {Error} as {@link Dialer.connect} does
 */
export function dialHttp(
  dial: Dialer,
  { hostname, port, protocol }: Pick<URL, 'hostname' | 'port' | 'protocol'>,
  { signal }: DialedOptions,
): Promise<Socket> {
  const isTls = protocol === 'https:' || protocol === 'wss:'
  return dial.connect({
    host: hostname.replace(/^\[(.*)\]$/u, '$1'),
    port: Number(port) || (DEFAULT_PORTS[protocol] ?? 0),
    signal,
    ...(isTls && { tls: { verifyCertificate: true, alpn: ['http/1.1'] } }),
  })
}

async function handOver(opening: Promise<Socket>, done: buildConnector.Callback): Promise<void> {
  let socket: Socket
  try {
    socket = await opening
  } catch (error) {
    return done(error instanceof Error ? error : new Error('failed'), null)
  }
  done(null, socket)
}
