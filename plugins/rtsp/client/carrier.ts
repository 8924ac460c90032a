import { connect as connectTcp, isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { sessionClient } from 'sluice/sdk'
import { RtspClientError } from './client-error.ts'
import { openTunnel } from './client-tunnel.ts'
import type { TargetUrl } from './target-url.ts'

const CONNECT_TIMEOUT_MS = 10_000

export type CarrierOptions = {
  readonly url: TargetUrl
  /** Verifies the server's certificate (TLS). */
  readonly verifyCertificate: boolean
  /** Ends the connection when it aborts. */
  readonly signal: AbortSignal
}

/** What carries RTSP to a server, and between which addresses. */
export type Carrier = { readonly stream: Duplex; readonly remoteIp: string; readonly localIp: string }

/**
 * Connects to a server: by TCP or TLS, or by two connections that look like HTTP.
 * @throws {RtspClientError} when it can't be reached in time
 */
export async function openCarrier(options: CarrierOptions): Promise<Carrier> {
  const socket = await connect(options)
  const { remoteAddress, localAddress } = socket
  const ips = { remoteIp: ipOf(remoteAddress), localIp: ipOf(localAddress) }
  if (!options.url.isTunnel) return { stream: socket, ...ips }
  const { url, signal } = options
  const stream = await openTunnel({ url: url.parsed, down: socket, open: () => connect(options), signal })
  return { stream, ...ips }
}

async function connect({ url, verifyCertificate, signal }: CarrierOptions): Promise<Socket> {
  const { host, port, tls } = url.parsed
  const servername = isIP(host) === 0 ? { servername: host } : {}
  const socket = tls
    ? connectTls({ host, port, rejectUnauthorized: verifyCertificate, ...servername })
    : connectTcp({ host, port })
  socket.setNoDelay(true)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = () => reject(new Error('stopped'))
  socket.once(tls ? 'secureConnect' : 'connect', resolve).once('error', reject)
  signal.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(() => reject(new Error('no answer in time')), CONNECT_TIMEOUT_MS)
  try {
    if (signal.aborted) stop()
    await promise
    return socket
  } catch (error) {
    socket.on('error', () => {}).destroy()
    const reason = error instanceof Error && error.message !== '' ? error.message : 'failed'
    throw new RtspClientError(`can't connect to ${host}:${port}: ${reason}`, { cause: error })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
    socket.off('error', reject)
  }
}

function ipOf(remoteAddress = ''): string {
  return sessionClient({ remoteAddress }).ip
}
