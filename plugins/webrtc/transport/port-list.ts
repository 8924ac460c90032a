import type { PortRange } from 'sluice/sdk'

/** The ports of one entry of `port`. */
export type PortEntry =
  /** One port that all sessions share; `host` is undefined for all addresses of the machine. */
  | { readonly kind: 'udp' | 'tcp'; readonly host: string | undefined; readonly port: number }
  /** A port for each session. */
  | { readonly kind: 'udp-range'; readonly range: PortRange }

const HOST = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-fA-F:.]+\])`
/** The pattern of an entry, for the schema of the config. */
export const PORT_ENTRY_PATTERN = String.raw`^(?:(?:udp|tcp):(?:${HOST}?:)?\d{1,5}|udp:\d{1,5}-\d{1,5})$`

const SHARED = /^(?<kind>udp|tcp):(?:(?:\[(?<v6>[^\]]+)\]|(?<v4>[^:]+))?:)?(?<port>\d+)$/
const RANGE = /^udp:(?<first>\d+)-(?<last>\d+)$/

/**
 * Reads the entries of `port`: `udp:9000`, `tcp::9000`, `udp:192.0.2.2:9000`, `udp:[2001:db8::1]:9000`, `udp:9000-9100`.
 * @throws {TypeError} with the entry that is malformed
 */
export function parsePortList(texts: readonly string[]): PortEntry[] {
  return texts.map((text) => {
    const range = RANGE.exec(text)?.groups
    if (range !== undefined)
      return { kind: 'udp-range', range: { first: Number(range['first']), last: Number(range['last']) } }
    const shared = SHARED.exec(text)?.groups
    if (shared === undefined)
      throw new TypeError(`'${text}' is no port of WebRTC; write udp:9000, tcp:9000 or udp:9000-9100`)
    const host = shared['v6'] ?? shared['v4']
    return { kind: shared['kind'] === 'tcp' ? 'tcp' : 'udp', host, port: Number(shared['port']) }
  })
}
