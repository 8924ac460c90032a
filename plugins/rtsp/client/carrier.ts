import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { sessionClient, type Dialer } from 'sluice/sdk'
import { RtspClientError } from './client-error.ts'
import { openTunnel } from './client-tunnel.ts'
import type { TargetUrl } from './target-url.ts'

export type CarrierOptions = {
  readonly url: TargetUrl
  /** Opens the connections. */
  readonly dial: Dialer
  /** Verifies the server's certificate (TLS). */
  readonly verifyCertificate: boolean
  /** Ends the connection when it aborts. */
  readonly signal: AbortSignal
}

/** The byte stream to a server, with the addresses of both ends. */
export type Carrier = { readonly stream: Duplex; readonly remoteIp: string; readonly localIp: string }

/**
 * Connects to a server: by TCP or TLS, or by two connections that look like HTTP.
 * @throws {RtspClientError} when it can't be reached
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

async function connect({ url, dial, verifyCertificate, signal }: CarrierOptions): Promise<Socket> {
  const { host, port, tls } = url.parsed
  try {
    return await dial.connect({ host, port, signal, ...(tls && { tls: { verifyCertificate } }) })
  } catch (error) {
    const reason = error instanceof Error && error.message !== '' ? error.message : 'failed'
    throw new RtspClientError(reason, { cause: error })
  }
}

function ipOf(remoteAddress = ''): string {
  return sessionClient({ remoteAddress }).ip
}
