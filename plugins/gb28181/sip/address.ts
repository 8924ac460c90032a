import { MalformedError } from 'sluice/sdk/media'

/** A URI of SIP (RFC 3261 19.1), as far as it says where to. */
export type SipUri = {
  readonly scheme: 'sip' | 'sips'
  /** The device, channel or platform; empty where there is none. */
  readonly user: string
  /** A domain, or an address; of IPv6 without brackets. */
  readonly host: string
  readonly port: number | undefined
  /** By names in small letters; empty values of those that have none. */
  readonly parameters: ReadonlyMap<string, string>
}

/** A value of From, To or Contact (20.10). */
export type SipAddress = {
  readonly uri: SipUri
  readonly tag: string | undefined
  /** By names in small letters. */
  readonly parameters: ReadonlyMap<string, string>
}

/** A value of Via (20.42). */
export type SipVia = {
  /** In capitals: `UDP`, `TCP` or `TLS`. */
  readonly transport: string
  readonly host: string
  readonly port: number | undefined
  /** By names in small letters: `branch`, `rport`, `received`. */
  readonly parameters: ReadonlyMap<string, string>
}

const URI = /^(sips?):(?:([^@>\s]*)@)?(\[[\d:.a-f]+\]|[^\s:;?>[\]]+)(?::([^;?>\s]*))?(;[^?>\s]*)?(?:\?[^>\s]*)?$/iu
const VIA = /^SIP\s*\/\s*2\.0\s*\/\s*([a-z]+)\s+(\[[\d:.a-f]+\]|[^\s:;,[\]]+)\s*(?::\s*(-?\d*))?\s*(;.*)?$/iu
const MAX_PORT = 65_535

/**
 * Reads a URI. A port that is none, as some devices write −1, counts as left out.
 * @throws {MalformedError} when it is no URI of SIP
 */
export function parseSipUri(text: string): SipUri {
  const parts = URI.exec(text.trim())
  if (parts === null) throw new MalformedError('no URI of SIP')
  const [, scheme, userinfo = '', host, port, parameters = ''] = parts
  return {
    scheme: scheme!.toLowerCase() as SipUri['scheme'],
    user: userinfo.split(':')[0]!,
    host: withoutBrackets(host!),
    port: portOf(port),
    parameters: parametersOf(parameters),
  }
}

export function serializeSipUri({ scheme, user, host, port, parameters }: SipUri): string {
  const at = user === '' ? '' : `${user}@`
  return `${scheme}:${at}${hostPort(host, port)}${serializeParameters(parameters)}`
}

/**
 * Reads a value of From, To or Contact, with or without a name and angle brackets.
 * @throws {MalformedError} when it has no URI of SIP
 */
export function parseSipAddress(text: string): SipAddress {
  const open = indexOutsideQuotes(text, '<')
  const close = open < 0 ? -1 : text.indexOf('>', open)
  if (open >= 0 && close < 0) throw new MalformedError('SIP address without an end')
  const semicolon = text.indexOf(';')
  // Without brackets, parameters are those of the header (20.10).
  const bareEnd = semicolon < 0 ? text.length : semicolon
  const uri = open < 0 ? text.slice(0, bareEnd) : text.slice(open + 1, close)
  const parameters = parametersOf(open < 0 ? text.slice(bareEnd) : text.slice(close + 1))
  return { uri: parseSipUri(uri), tag: parameters.get('tag') || undefined, parameters }
}

/** Writes an address in angle brackets. */
export function serializeSipAddress(uri: SipUri, tag?: string): string {
  return `<${serializeSipUri(uri)}>${tag === undefined ? '' : `;tag=${tag}`}`
}

/** @throws {MalformedError} when it is no Via */
export function parseSipVia(text: string): SipVia {
  const parts = VIA.exec(text.trim())
  if (parts === null) throw new MalformedError('SIP Via that is none')
  const [, transport, host, port, parameters = ''] = parts
  return {
    transport: transport!.toUpperCase(),
    host: withoutBrackets(host!),
    port: portOf(port),
    parameters: parametersOf(parameters),
  }
}

export function serializeSipVia({ transport, host, port, parameters }: SipVia): string {
  return `SIP/2.0/${transport} ${hostPort(host, port)}${serializeParameters(parameters)}`
}

/** Splits a header that may hold several values at its commas, but for those within quotes and brackets (7.3.1). */
export function splitValues(text: string): string[] {
  const values: string[] = []
  let from = 0
  let isQuoted = false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\\' && isQuoted) at += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && character === '<') depth += 1
    else if (!isQuoted && character === '>') depth -= 1
    else if (!isQuoted && depth <= 0 && character === ',') {
      values.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  return [...values, text.slice(from).trim()].filter((value) => value !== '')
}

/** A host with its port; IPv6 in brackets. */
export function hostPort(host: string, port: number | undefined): string {
  const bracketed = host.includes(':') ? `[${host}]` : host
  return port === undefined ? bracketed : `${bracketed}:${port}`
}

function withoutBrackets(host: string): string {
  return host.startsWith('[') ? host.slice(1, -1) : host
}

function portOf(text: string | undefined): number | undefined {
  const port = text === undefined || !/^\d+$/u.test(text) ? 0 : Number(text)
  return port > 0 && port <= MAX_PORT ? port : undefined
}

function parametersOf(text: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const part of text.split(';')) {
    const equals = part.indexOf('=')
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase()
    if (name !== '') parameters.set(name, equals < 0 ? '' : part.slice(equals + 1).trim())
  }
  return parameters
}

function serializeParameters(parameters: ReadonlyMap<string, string>): string {
  return Array.from(parameters, ([name, value]) => (value === '' ? `;${name}` : `;${name}=${value}`)).join('')
}

function indexOutsideQuotes(text: string, wanted: string): number {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\' && isQuoted) at += 1
    else if (text[at] === '"') isQuoted = !isQuoted
    else if (!isQuoted && text[at] === wanted) return at
  }
  return -1
}
