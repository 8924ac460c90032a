import { MalformedError } from 'sluice/sdk/media'
import { headerOf, type SipMessage } from './message.ts'

/** A URI of SIP as devices use it (RFC 3261 19.1.1): without password, parameters and headers. */
export type SipUri = {
  /** Empty where the URI has none. */
  readonly user: string
  readonly host: string
  readonly port: number | undefined
}

/**
 * Reads a URI of SIP.
 * @throws {MalformedError} when it is none.
 */
export function parseSipUri(text: string): SipUri {
  const [, user, host, port] = /^sips?:(?:([^@;?\s]*)@)?(\[[^\]]+\]|[^:;?\s]+)(?::(-?\d+))?/iu.exec(text.trim()) ?? []
  if (host === undefined) throw new MalformedError('no URI of SIP')
  return { user: user ?? '', host, port: port === undefined ? undefined : Number(port) }
}

/** The URI in a field such as `From`, `To` or `Contact`: between angle brackets, or up to the parameters. */
export function uriOf(value: string): string {
  const [, bracketed] = /<([^>]*)>/u.exec(value) ?? []
  return (bracketed ?? value.split(';')[0] ?? '').trim()
}

/** A parameter of a field behind its URI, as `tag`; undefined where there is none. */
export function parameterOf(value: string, name: string): string | undefined {
  const parameters = value.slice(value.lastIndexOf('>') + 1)
  const found = new RegExp(String.raw`;\s*${name}\s*=\s*("?)([^;,"\s]*)\1`, 'iu').exec(parameters)
  return found?.[2]
}

/** The user of the URI in a field; empty where the field is missing or broken. */
export function userOf(value: string | undefined): string {
  const [, user = ''] = /^sips?:([^@;?\s]*)@/iu.exec(uriOf(value ?? '')) ?? []
  return user
}

/** The `tag` of `From` or `To`; empty where there is none. */
export function tagOf(message: SipMessage, field: 'From' | 'To'): string {
  return parameterOf(headerOf(message, field) ?? '', 'tag') ?? ''
}

/** The number and the method of `CSeq`; 0 and an empty text where it is broken. */
export function sequenceOf(message: SipMessage): { readonly number: number; readonly method: string } {
  const [, number, method] = /^(\d{1,10})\s+(\S+)$/u.exec(headerOf(message, 'CSeq') ?? '') ?? []
  return { number: Number(number ?? 0), method: method ?? '' }
}

/** The `branch` of the topmost `Via`; empty where there is none. */
export function branchOf(message: SipMessage): string {
  return parameterOf(headerOf(message, 'Via') ?? '', 'branch') ?? ''
}
