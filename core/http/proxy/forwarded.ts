import { normalizeIp } from '../../net/network-list.ts'

/** Who asked a proxy for something; the port is 0 where the proxy does not tell it. */
export type ForwardedNode = { readonly ip: string; readonly port: number }

/** What one proxy says of a request that it passed on. */
export type ForwardedHop = {
  /** Undefined where the proxy does not say, as by `unknown` and `_hidden`, or where it is no address. */
  readonly client: ForwardedNode | undefined
  /** `http` or `https` as the client asked the proxy. */
  readonly scheme: 'http' | 'https' | undefined
  /** Name and port as the client asked for them. */
  readonly host: string | undefined
}

/** A header that is longer says nothing. */
const MAX_HEADER_LENGTH = 4096
/** Proxies that one request may have passed. */
const MAX_HOPS = 32
const MAX_HOST_LENGTH = 255

/** `name=value` and what comes after it (RFC 7239, 4); the value of an IPv6 address is often left unquoted. */
const PAIR = /\s*(?<name>[\w!#$%&'*+.^`|~-]+)=(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<bare>[^\s",;=]*))\s*(?<end>[;,]|$)/uy
const EMPTY_ELEMENT = /\s*(?:,|$)/uy
/** An address with or without a port; a port may be hidden, too (RFC 7239, 6). */
const NODE = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[\d.]+))(?::(?:(?<port>\d{1,5})|_[\w.-]+))?$/u
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/iu

/**
 * Parses the `Forwarded` header (RFC 7239), the proxy next to the client first.
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
 * Parses `X-Forwarded-For`, the client that the first proxy saw first. Nothing of it is standardized; addresses may have
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
