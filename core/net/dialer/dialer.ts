import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP, type Socket } from 'node:net'
import { domainToASCII } from 'node:url'
import type { Dialer, DialTarget } from 'sluice/sdk'
import { allowedOf, denialOf, isAllowed, type DeniedNetworks } from './address-check.ts'
import { DialError, dialReason } from './dial-error.ts'
import { connectByHttp } from './http-connect.ts'
import { discard, openTcp, openTls } from './opening.ts'
import { parseProxyUrl, type ProxyServer } from './proxy-url.ts'
import { connectBySocks } from './socks.ts'

/** The longest time until a connection is open, including a proxy and TLS. */
const CONNECT_TIMEOUT_MS = 10_000
/** The most addresses of a name that a proxy is asked to connect to, one after the other. */
const MAX_PROXIED_ADDRESSES = 4
const HOST_NAME = /^[\w.-]{1,253}$/u
const MAX_PORT = 65_535

export type DialerOptions = {
  /** The denied networks, which are checked again for each connection. */
  readonly deny: DeniedNetworks
  /** The URL of a proxy; empty for none. */
  readonly proxy?: string
  readonly connectTimeoutMs?: number
  /** Finds the addresses of a name; by the system unless given. */
  readonly lookup?: (name: string) => Promise<readonly LookupAddress[]>
}

/**
 * Creates the dialer, which opens connections to other servers.
 * @throws {DialError} when the URL of the proxy is not valid; the message does not contain it
 */
export function createDialer(options: DialerOptions): Dialer {
  return new NetDialer(options)
}

class NetDialer implements Dialer {
  readonly #deny: DeniedNetworks
  readonly #proxy: ProxyServer | undefined
  readonly #timeoutMs: number
  readonly #lookup: NonNullable<DialerOptions['lookup']>

  constructor({ deny, proxy = '', connectTimeoutMs = CONNECT_TIMEOUT_MS, lookup = systemLookup }: DialerOptions) {
    this.#deny = deny
    this.#proxy = proxy === '' ? undefined : parseProxyUrl(proxy)
    this.#timeoutMs = connectTimeoutMs
    this.#lookup = lookup
  }

  get proxied(): boolean {
    return this.#proxy !== undefined
  }

  async connect({ host: wanted, port, tls, signal }: DialTarget): Promise<Socket> {
    const host = hostOf(wanted)
    if (!Number.isInteger(port) || port < 1 || port > MAX_PORT)
      throw new DialError("can't connect: there is no such port")
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    const stop = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    try {
      stop.throwIfAborted()
      const socket = await this.#reach(host, port, stop)
      const opened = tls === undefined ? socket : await openTls(socket, host, tls, stop)
      if (opened.destroyed) throw new DialError('the connection has ended')
      return opened
    } catch (error) {
      const late = timeout.aborted ? `no answer within ${this.#timeoutMs / 1000} s` : undefined
      const reason = signal?.aborted === true ? 'stopped' : (late ?? dialReason(error))
      throw new DialError(`can't connect to ${atPort(host, port)}: ${reason}`, { cause: error })
    }
  }

  checkAddress(ip: string): void {
    if (!isAllowed(this.#deny, ip)) throw new DialError(denialOf(ip))
  }

  async #reach(host: string, port: number, signal: AbortSignal): Promise<Socket> {
    if (this.#proxy === undefined)
      return openTcp({ host, port, signal, addresses: await this.#addresses(host, signal) })
    // Without denied networks the proxy looks the name up, as perhaps it alone can.
    if (this.#deny.isEmpty) return this.#byProxy(this.#proxy, host, port, signal)
    const addresses = await this.#addresses(host, signal)
    let failure: unknown
    for (const { address } of addresses.slice(0, MAX_PROXIED_ADDRESSES)) {
      try {
        return await this.#byProxy(this.#proxy, address, port, signal)
      } catch (error) {
        if (signal.aborted) throw error
        failure = error
      }
    }
    throw failure
  }

  /** @throws {DialError} when the host has no address, or all are denied */
  async #addresses(host: string, signal: AbortSignal): Promise<LookupAddress[]> {
    const family = isIP(host)
    const found = family === 0 ? await unlessAborted(this.#lookUp(host), signal) : [{ address: host, family }]
    return allowedOf(this.#deny, found)
  }

  async #lookUp(host: string): Promise<readonly LookupAddress[]> {
    try {
      return await this.#lookup(host)
    } catch (error) {
      const why = this.proxied ? '; it is looked up here, and not by the proxy, for global.pull.deny' : ''
      throw new DialError(`${dialReason(error)}${why}`, { cause: error })
    }
  }

  async #byProxy(proxy: ProxyServer, host: string, port: number, signal: AbortSignal): Promise<Socket> {
    const socket = await this.#openProxy(proxy, signal)
    const leg = { socket, host, port, user: proxy.user, signal }
    try {
      await (proxy.kind === 'socks5' ? connectBySocks(leg, this.#timeoutMs) : connectByHttp(leg))
      return socket
    } catch (error) {
      discard(socket)
      throw error
    }
  }

  /** Connects to the proxy. Its address is not checked, as only the operator sets it. */
  async #openProxy({ kind, host, port }: ProxyServer, signal: AbortSignal): Promise<Socket> {
    try {
      const family = isIP(host)
      const addresses = family === 0 ? await unlessAborted(this.#lookup(host), signal) : [{ address: host, family }]
      const socket = await openTcp({ host, port, signal, addresses })
      return kind === 'https' ? await openTls(socket, host, { verifyCertificate: true }, signal) : socket
    } catch (error) {
      throw new DialError(`can't reach the proxy ${atPort(host, port)}: ${dialReason(error)}`, { cause: error })
    }
  }
}

function systemLookup(name: string): Promise<LookupAddress[]> {
  return lookup(name, { all: true })
}

/** @throws {DialError} when the text can't be the name or address of a host */
function hostOf(text: string): string {
  if (isIP(text) !== 0) return text
  // The conversion would remove line ends.
  const name = /\s/u.test(text) ? '' : domainToASCII(text)
  if (!HOST_NAME.test(name)) throw new DialError("can't connect: the host is neither a name nor an address")
  return name
}

function atPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Settles like `work`, or rejects when the signal aborts before. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(new DialError('stopped'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
