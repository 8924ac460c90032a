import type { IncomingHttpHeaders } from 'node:http'
import { sessionClient } from 'sluice/sdk'
import type { ForwardedRequest, RoutedRequest } from 'sluice/sdk/http'
import { NetworkList, normalizeIp } from '../../net/network-list.ts'
import { parseForwarded, parseForwardedFor, parseHost, parseScheme, type ForwardedHop } from './forwarded.ts'

/** The headers in which proxies name the one client that they know; each has been seen in the wild. */
const CLIENT_HEADERS = [
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'cf-connecting-ip',
  'true-client-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'x-envoy-external-address',
]
/** The headers that only proxies send; those that begin with `x-forwarded` are such, too. */
const PROXY_HEADERS = new Set(['forwarded', 'via', 'x-original-forwarded-for', 'cdn-loop', ...CLIENT_HEADERS])

/** The proxies whose headers about clients count (`http.trustproxy`). */
export class TrustedProxies {
  readonly #networks: NetworkList

  constructor(networks: readonly string[]) {
    this.#networks = new NetworkList(networks)
  }

  /**
   * Returns the client of a request that came from a trusted proxy: the address next to the proxies that are trusted. An
   * address that is malformed or hidden ends the search: the proxy that sent it then stands for its client.
   * @returns undefined when the request does not come from a trusted proxy, or is the proxy's own
   */
  forwarded({ socket, headers }: RoutedRequest): ForwardedRequest | undefined {
    if (this.#networks.isEmpty) return undefined
    const { ip, port } = sessionClient(socket)
    if (!this.#networks.includes(ip) || proxyHeader(headers) === undefined) return undefined
    let client: ForwardedRequest = { ip, port }
    let scheme = parseScheme(lastOf(headers['x-forwarded-proto']))
    let host = parseHost(lastOf(headers['x-forwarded-host']))
    for (const hop of hopsOf(headers).toReversed()) {
      if (hop.client === undefined) break
      client = hop.client
      scheme = hop.scheme ?? scheme
      host = hop.host ?? host
      if (!this.#networks.includes(client.ip)) break
    }
    return { ...client, ...(scheme && { scheme }), ...(host && { host }) }
  }
}

/** The name of a header that shows that a request came through a proxy; undefined when there is none. */
export function proxyHeader(headers: IncomingHttpHeaders): string | undefined {
  for (const name in headers) if (PROXY_HEADERS.has(name) || name.startsWith('x-forwarded')) return name
  return undefined
}

/** All values of a request's headers for the address of a client, from any sender; undefined for a value that is no address. */
export function namedAddresses(headers: IncomingHttpHeaders): readonly (string | undefined)[] {
  const { forwarded, 'x-forwarded-for': forwardedFor } = headers
  const hops = forwarded === undefined ? [] : (parseForwarded(forwarded) ?? [undefined])
  const nodes = forwardedFor === undefined ? [] : (parseForwardedFor(textOf(forwardedFor)) ?? [undefined])
  return [
    ...hops.map((hop) => hop?.client?.ip),
    ...nodes.map((node) => node?.ip),
    ...CLIENT_HEADERS.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [normalizeIp(textOf(value).trim())]
    }),
  ]
}

/** The hops of `X-Forwarded-For`, which nearly every proxy writes; else those of `Forwarded`, else that of `X-Real-IP`. */
function hopsOf(headers: IncomingHttpHeaders): readonly Partial<ForwardedHop>[] {
  const { forwarded, 'x-forwarded-for': forwardedFor, 'x-real-ip': realIp } = headers
  if (forwardedFor !== undefined) return (parseForwardedFor(textOf(forwardedFor)) ?? []).map((client) => ({ client }))
  if (forwarded !== undefined) return parseForwarded(forwarded) ?? []
  return realIp === undefined ? [] : (parseForwardedFor(textOf(realIp)) ?? []).map((client) => ({ client }))
}

/** The last value of a list; proxies add to its end, so it is from the proxy next to the server. */
function lastOf(header: string | readonly string[] | undefined): string | undefined {
  return header === undefined ? undefined : textOf(header).split(',').at(-1)
}

function textOf(header: string | readonly string[]): string {
  return typeof header === 'string' ? header : header.join(',')
}
