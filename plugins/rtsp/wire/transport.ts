import { MalformedError } from 'sluice/sdk/media'
import { quoteIfNeeded, splitUnquoted, unquote } from 'sluice/sdk/http'

/** Ports, or channels of the connection: for RTP and, when it is another one, for RTCP, which some peers put before RTP's. */
export type NumberPair = { readonly first: number; readonly last: number }

/** One way to carry a track, as header `Transport` names it (RFC 2326 12.39, RFC 7826 18.54). */
export type Transport = {
  /** The profile in upper case: `RTP/AVP`; the parser also accepts `RTP/SAVP` and others, which are to be refused. */
  readonly profile: string
  /**
   * The lower transport in upper case: `UDP` or `TCP`; the parser also accepts others, which are to be refused. The default is UDP, or TCP
   * when there are channels and no ports.
   */
  readonly lowerTransport: string
  readonly delivery?: 'unicast' | 'multicast'
  /** The address to send to, as sent. A server that obeys it can be made to send to others. */
  readonly destination?: string
  /** The address that media is sent from, as sent. */
  readonly source?: string
  /** Channels of interleaved frames. */
  readonly interleaved?: NumberPair
  /** Hops of multicast, 0–255. */
  readonly ttl?: number
  /** Ports of multicast. */
  readonly port?: NumberPair
  readonly clientPort?: NumberPair
  readonly serverPort?: NumberPair
  /** 32 bits. */
  readonly ssrc?: number
  /** `play`, which is also meant when no mode is sent, or `record`. */
  readonly mode?: 'play' | 'record'
  /** All unknown parameters, and those with invalid values, as sent without quotes; undefined without `=`. */
  readonly others: readonly (readonly [name: string, value: string | undefined])[]
}

type Fields = { -readonly [Name in keyof Transport]: Transport[Name] }

const SPEC = /^([a-z]+\/[a-z0-9]+)(?:\/([a-z0-9]+))?$/iu
const PAIR = /^(\d{1,5})(?:\s*-\s*(\d{1,5}))?$/u
const SSRC = /^(?:0x)?([0-9a-f]{1,8})$/iu
const BYTE = /^\d{1,3}$/u
const MAX_CHANNEL = 255
const MAX_PORT = 65_535
const MAX_TTL = 255
/** The values of `mode` by which QuickTime and ffmpeg ask the server to receive. */
const RECORD_MODES = new Set(['record', 'receive'])

/**
 * Parses header `Transport`, best first. Parameters that are malformed or unknown are kept in `others`.
 * @throws {MalformedError} when no transport is left
 */
export function parseTransports(text: string): Transport[] {
  const transports = splitUnquoted(text, ',').flatMap((part) => parseTransport(part) ?? [])
  if (transports.length === 0) throw new MalformedError('no transport in header Transport')
  return transports
}

/** Writes one or several transports, best first. */
export function serializeTransports(transports: readonly Transport[]): string {
  return transports.map(serializeTransport).join(',')
}

function parseTransport(text: string): Transport | undefined {
  const [spec = '', ...parameters] = splitUnquoted(text, ';')
  const [, profile, lowerTransport] = SPEC.exec(spec) ?? []
  if (profile === undefined) return undefined
  const others: [string, string | undefined][] = []
  const fields: Fields = { profile: profile.toUpperCase(), lowerTransport: 'UDP', others }
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=')
    const name = equals < 0 ? parameter : parameter.slice(0, equals).trim()
    const value = equals < 0 ? undefined : unquote(parameter.slice(equals + 1).trim())
    if (!takeParameter(fields, name.toLowerCase(), value)) others.push([name, value])
  }
  const isInterleaved = fields.interleaved !== undefined && fields.clientPort === undefined
  fields.lowerTransport = lowerTransport?.toUpperCase() ?? (isInterleaved ? 'TCP' : 'UDP')
  return fields
}

/** Takes a parameter; returns false when its name is unknown or its value invalid. */
function takeParameter(fields: Fields, name: string, value: string | undefined): boolean {
  if (value === undefined) {
    if (name !== 'unicast' && name !== 'multicast') return false
    fields.delivery = name
    return true
  }
  const parsed = parseParameter(name, value)
  if (parsed === undefined) return false
  Object.assign(fields, parsed)
  return true
}

function parseParameter(name: string, value: string): Partial<Transport> | undefined {
  switch (name) {
    case 'destination':
      return value === '' ? undefined : { destination: value }
    case 'source':
      return value === '' ? undefined : { source: value }
    case 'interleaved':
      return ifFound(parsePair(value, MAX_CHANNEL), (interleaved) => ({ interleaved }))
    case 'port':
      return ifFound(parsePair(value, MAX_PORT), (port) => ({ port }))
    case 'client_port':
      return ifFound(parsePair(value, MAX_PORT), (clientPort) => ({ clientPort }))
    case 'server_port':
      return ifFound(parsePair(value, MAX_PORT), (serverPort) => ({ serverPort }))
    case 'ttl':
      return BYTE.test(value) && Number(value) <= MAX_TTL ? { ttl: Number(value) } : undefined
    case 'ssrc':
      return ifFound(SSRC.exec(value)?.[1], (hex) => ({ ssrc: Number.parseInt(hex, 16) }))
    case 'mode':
      return ifFound(parseMode(value), (mode) => ({ mode }))
    default:
      return undefined
  }
}

function ifFound<From, To>(value: From | undefined, then: (value: From) => To): To | undefined {
  return value === undefined ? undefined : then(value)
}

function parsePair(text: string, max: number): NumberPair | undefined {
  const match = PAIR.exec(text)
  if (match === null) return undefined
  const first = Number(match[1])
  const last = match[2] === undefined ? first : Number(match[2])
  return Math.max(first, last) <= max ? { first, last } : undefined
}

function parseMode(text: string): 'play' | 'record' | undefined {
  const modes = text.split(',').map((mode) => mode.trim().toLowerCase())
  if (modes.some((mode) => RECORD_MODES.has(mode))) return 'record'
  return modes.includes('play') ? 'play' : undefined
}

function serializeTransport(transport: Transport): string {
  const { profile, lowerTransport, delivery, destination, source, ttl, ssrc, mode, others } = transport
  // Old players do not understand `/UDP`.
  const parts = [lowerTransport === 'UDP' ? profile : `${profile}/${lowerTransport}`]
  if (delivery !== undefined) parts.push(delivery)
  if (destination !== undefined) parts.push(`destination=${quoteIfNeeded(destination)}`)
  if (source !== undefined) parts.push(`source=${quoteIfNeeded(source)}`)
  pushPair(parts, 'interleaved', transport.interleaved)
  if (ttl !== undefined) parts.push(`ttl=${ttl}`)
  pushPair(parts, 'port', transport.port)
  pushPair(parts, 'client_port', transport.clientPort)
  pushPair(parts, 'server_port', transport.serverPort)
  if (ssrc !== undefined) parts.push(`ssrc=${ssrc.toString(16).toUpperCase().padStart(8, '0')}`)
  // ffmpeg's server accepts neither quotes nor capitals, and only RECORD has to be written.
  if (mode !== undefined) parts.push(`mode=${mode}`)
  for (const [name, value] of others) parts.push(value === undefined ? name : `${name}=${quoteIfNeeded(value)}`)
  return parts.join(';')
}

function pushPair(parts: string[], name: string, pair: NumberPair | undefined): void {
  if (pair === undefined) return
  parts.push(pair.first === pair.last ? `${name}=${pair.first}` : `${name}=${pair.first}-${pair.last}`)
}
