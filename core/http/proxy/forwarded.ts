import { normalizeIp } from '../../net/network-list.ts'

/** The client of a proxy; the port is 0 where the proxy does not name it. */
export type ForwardedNode = { readonly ip: string; readonly port: number }

/** The part of a header that one proxy adds about a request that it passes on. */
export type ForwardedHop = {
  /** The client; undefined where the proxy hides it, as by `unknown` and `_hidden`, or where it is no address. */
  readonly client: ForwardedNode | undefined
  /** The scheme by which the client asked the proxy. */
  readonly scheme: 'http' | 'https' | undefined
  /** The name and port that the client asked for. */
  readonly host: string | undefined
}

/** The longest header that is read; a longer one is ignored. */
const MAX_HEADER_LENGTH = 4096
/** The most proxies that one request may have passed. */
const MAX_HOPS = 32
const MAX_HOST_LENGTH = 255

/** The pattern of `name=value` and the delimiter after it (RFC 7239, 4); the value of an IPv6 address is often left unquoted. */
const PAIR = /\s*(?<name>[\w!#$%&'*+.^`|~-]+)=(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<bare>[^\s",;=]*))\s*(?<end>[;,]|$)/uy
const EMPTY_ELEMENT = /\s*(?:,|$)/uy
/** An address with or without a port; a port may be hidden, too (RFC 7239, 6). */
const NODE = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[\d.]+))(?::(?:(?<port>\d{1,5})|_[\w.-]+))?$/u
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/iu

/**
 * Parses the `Forwarded` header (RFC 7239); the proxy next to the client is first.
 * @returns undefined when it is malformed or too long
 */
export function parseForwarded(header: string): ForwardedHop[] | undefined {
  if (header.length > MAX_HEADER_LENGTH) return undefined
  const hops: ForwardedHop[] = []
  let element: Record<string, string> = {}
  let at = 0
  while (at < header.length) {
    EMPTY_ELEMENT.lastIndex = PAIR.lastIndex = at
    const groups = PAIR.exec(header)?.groups
    if (groups === undefined) {
      // A list may have empty elements (RFC 9110, 5.6.1).
      if (Object.keys(element).length > 0 || !EMPTY_ELEMENT.test(header)) return undefined
      at = EMPTY_ELEMENT.lastIndex
      continue
    }
    at = PAIR.lastIndex
    const name = groups['name']?.toLowerCase() ?? ''
    if (Object.hasOwn(element, name)) return undefined
    element[name] = groups['quoted']?.replaceAll(/\\(.)/gu, '$1') ?? groups['bare'] ?? ''
    if (groups['end'] === ';') continue
    hops.push({
      client: parseNode(element['for'] ?? ''),
      scheme: parseScheme(element['proto']),
      host: parseHost(element['host']),
    })
    if (hops.length > MAX_HOPS) return undefined
    element = {}
  }
  return Object.keys(element).length > 0 ? undefined : hops
}

/**
 * Parses `X-Forwarded-For`; the client that the first proxy saw is first. The header is not standardized; addresses may have
 * ports.
 * @returns undefined when it is too long
 */
export function parseForwardedFor(header: string): (ForwardedNode | undefined)[] | undefined {
  if (header.length > MAX_HEADER_LENGTH) return undefined
  const parts = header.split(',', MAX_HOPS + 1)
  return parts.length > MAX_HOPS ? undefined : parts.map((part) => parseNode(part.trim()))
}

/** The scheme of an `X-Forwarded-Proto` or of `proto`; some proxies call that of a WebSocket `ws` and `wss`. */
export function parseScheme(text: string | undefined): ForwardedHop['scheme'] {
  switch (text?.trim().toLowerCase()) {
    case 'https':
    case 'wss':
      return 'https'
    case 'http':
    case 'ws':
      return 'http'
    default:
      return undefined
  }
}

/** The host of an `X-Forwarded-Host` or of `host`, with its port. */
export function parseHost(text: string | undefined): string | undefined {
  const host = text?.trim() ?? ''
  return host.length <= MAX_HOST_LENGTH && HOST.test(host) ? host : undefined
}

function parseNode(text: string): ForwardedNode | undefined {
  const groups = NODE.exec(text)?.groups
  // An IPv6 address without brackets, as X-Forwarded-For has it, can't have a port.
  const ip = normalizeIp(groups?.['v6'] ?? groups?.['v4'] ?? text)
  return ip === undefined ? undefined : { ip, port: Number(groups?.['port'] ?? 0) }
}
