import { Type } from 'typebox'

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

/** A listening address: `:port` (all addresses, IPv4 and IPv6), `ip:port` or `[ipv6]:port`; empty for none. */
export function Address(options: ValueOptions<string>) {
  return Type.String({ format: 'address', ...options })
}

/** A string that no log, list or API answer shows, and that the admin page edits as a password. */
export function Secret(options: ValueOptions<string>) {
  return Type.String({ format: 'password', writeOnly: true, ...options })
}
