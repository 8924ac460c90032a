import { Type, type TSchema } from 'typebox'
import type { PortRange as Range } from './port-range.ts'

/** Options of the schema builders below: JSON Schema's own words. */
export type ValueOptions<Value> = {
  readonly default: Value
  readonly title?: string
  readonly description?: string
}

/**
 * A duration. Written in the file with its unit (`100ms`, `10s`, `4m`, `1h30m`) or as a bare integer of seconds; in the
 * effective config a number of milliseconds. The default is written as in the file.
 */
export function Duration(options: ValueOptions<string>) {
  return Type.Unsafe<number>({ type: 'string', format: 'duration', ...options })
}

/** A duration, or the word `auto`. In the effective config a number of milliseconds or `'auto'`. */
export function AutoDuration(options: ValueOptions<string> & { readonly maximum: string }) {
  const { maximum, ...rest } = options
  return Type.Unsafe<number | 'auto'>({ type: 'string', format: 'auto-duration', durationMaximum: maximum, ...rest })
}

/** A size in bytes. Written with a unit (`512KB`, `4MB`, powers of 1024) or as a bare integer of bytes. */
export function ByteSize(options: ValueOptions<string>) {
  return Type.Unsafe<number>({ type: 'string', format: 'byte-size', ...options })
}

export type PortRange = Range

/** A range of ports for the media of sessions. Written `20001-30000`, or one port; in the effective config its two ends. */
export function PortRange(options: ValueOptions<string>) {
  return Type.Unsafe<Range>({ type: 'string', format: 'port-range', ...options })
}

/** A listening address: `:port` (all addresses, IPv4 and IPv6), `ip:port` or `[ipv6]:port`; empty for none. */
export function Address(options: ValueOptions<string>) {
  return Type.String({ format: 'address', ...options })
}

/** An address or a network: `127.0.0.1`, `::1`, `10.0.0.0/8`, `2001:db8::/32`. */
export function Network() {
  return Type.String({ format: 'network' })
}

/** A string that no log, list or API answer shows, and that the admin page edits as a password. */
export function Secret(options: ValueOptions<string>) {
  return Type.String({ format: 'password', writeOnly: true, ...options })
}

/**
 * The address of another server, or of a source on it. User information and the values of the query are masked wherever it is
 * shown (see `maskUrl`). Its scheme need not be one that the host knows.
 */
export function SourceUrl(options: { readonly description: string }) {
  return Type.String({ format: 'source-url', ...options })
}

/** The address of a target that streams are pushed to, masked by `maskTarget` wherever it is shown. */
export function TargetUrl(options: { readonly description: string }) {
  return Type.String({ format: 'target-url', ...options })
}

/** The address of a web service that receives events or requests, `http` or `https`, masked as {@link SourceUrl}. */
export function WebhookUrl(options: ValueOptions<string>) {
  return Type.String({ format: 'webhook-url', ...options })
}

/**
 * The address of a proxy, with what it takes to get in, masked as {@link SourceUrl}: `http://`, `https://`, `socks5://` or
 * `socks5h://`; empty for none.
 */
export function ProxyUrl(options: ValueOptions<string>) {
  return Type.String({ format: 'proxy-url', ...options })
}

type MapOptions = { readonly default: Readonly<Record<string, unknown>>; readonly description: string }

/** A map with stream paths as its keys. */
export function StreamPathMap<Value extends TSchema>(value: Value, options: MapOptions) {
  return Type.Record(Type.String(), value, { propertyNames: { type: 'string', format: 'stream-path' }, ...options })
}

/**
 * A map with regular expressions for stream paths as its keys. They match anywhere in the path unless `^` and `$` pin them,
 * and keep the order of the file.
 */
export function RegexMap<Value extends TSchema>(value: Value, options: MapOptions) {
  return Type.Record(Type.String(), value, {
    propertyNames: { type: 'string', format: 'regular-expression' },
    ...options,
  })
}
