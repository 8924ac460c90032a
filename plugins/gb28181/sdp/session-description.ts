import { isIP, isIPv6 } from 'node:net'
import { MalformedError } from 'sluice/sdk/media'

/** The purpose of a session, which is its name `s=` (GB/T 28181-2022 annex G). */
export type GbSessionName = 'Play' | 'Playback' | 'Download'

/** A format of RTP: its payload type, and encoding and clock rate as `a=rtpmap` has them. */
export type GbFormat = { readonly payloadType: number; readonly encoding: string; readonly clockRate: number }

/** The end's part in the connection of media by TCP: `active` opens it (RFC 4145). */
export type GbSetup = 'active' | 'passive'

/** The media of a session; devices send one. */
export type GbMedia = {
  readonly kind: 'video' | 'audio'
  readonly port: number
  /** `TCP/RTP/AVP` or `RTP/AVP`. */
  readonly isTcp: boolean
  readonly formats: readonly GbFormat[]
  readonly direction: 'recvonly' | 'sendonly' | 'sendrecv' | undefined
  /** With TCP. */
  readonly setup: GbSetup | undefined
}

/** A description of SDP with the lines of GB/T 28181 (`u=`, `y=`, `f=`). */
export type GbDescription = {
  /** The id of the device or platform that sends it. */
  readonly owner: string
  readonly name: string
  /** The address of the media. */
  readonly address: string
  /** `u=`: the channel and the type of recordings, of playback and downloads. */
  readonly uri: string | undefined
  /** Unix seconds; both 0 for live media. */
  readonly startSeconds: number
  readonly stopSeconds: number
  readonly media: GbMedia
  /** `a=streamnumber`: 0 is the main stream. */
  readonly streamNumber: number | undefined
  /** `a=downloadspeed`: so many times as fast. */
  readonly downloadSpeed: number | undefined
  /** `a=filesize`, in bytes, of an answer. */
  readonly fileSizeBytes: number | undefined
  /** `y=`: ten digits, of which the first is 1 for recordings. */
  readonly ssrc: string | undefined
  /** `f=`: the codecs that are asked for. */
  readonly codecs: string | undefined
}

/** The largest description, and the most lines of one. */
const MAX_TEXT_LENGTH = 16 * 1024
const MAX_LINES = 200
const MAX_PORT = 65_535
const SSRC = /^\d{1,10}$/u
/** Some devices leave the port out, or write -1. */
const MEDIA_LINE = /^(video|audio)\s+(?:(-?\d+)(?:\/\d+)?\s+)?((?:TCP\/|UDP\/)?RTP\S*)((?:\s+\d{1,3})*)\s*$/iu
const RTPMAP = /^(\d{1,3})\s+([^\s/]+)\/(\d{1,9})/u
const CONNECTION = /^IN\s+IP[46]\s+([^\s/%]+)(?:\/.*)?$/iu

/** Writes a description. */
export function serializeGbDescription(description: GbDescription): string {
  const { owner, name, address, uri, startSeconds, stopSeconds, media, ssrc, codecs } = description
  const { streamNumber, downloadSpeed, fileSizeBytes } = description
  const family = isIPv6(address) ? 'IP6' : 'IP4'
  const attributes = [
    ...(media.direction === undefined ? [] : [media.direction]),
    ...media.formats.map(({ payloadType, encoding, clockRate }) => `rtpmap:${payloadType} ${encoding}/${clockRate}`),
    ...(media.setup === undefined ? [] : [`setup:${media.setup}`, 'connection:new']),
    ...(streamNumber === undefined ? [] : [`streamnumber:${streamNumber}`]),
    ...(downloadSpeed === undefined ? [] : [`downloadspeed:${downloadSpeed}`]),
    ...(fileSizeBytes === undefined ? [] : [`filesize:${fileSizeBytes}`]),
  ]
  const types = media.formats.map(({ payloadType }) => payloadType).join(' ')
  const lines = [
    'v=0',
    `o=${owner} 0 0 IN ${family} ${address}`,
    `s=${name}`,
    ...(uri === undefined ? [] : [`u=${uri}`]),
    `c=IN ${family} ${address}`,
    `t=${startSeconds} ${stopSeconds}`,
    `m=${media.kind} ${media.port} ${media.isTcp ? 'TCP/RTP/AVP' : 'RTP/AVP'} ${types}`,
    ...attributes.map((attribute) => `a=${attribute}`),
    ...(ssrc === undefined ? [] : [`y=${ssrc}`]),
    ...(codecs === undefined ? [] : [`f=${codecs}`]),
  ]
  return lines.map((line) => `${line}\r\n`).join('')
}

/**
 * Reads a description, as devices write it: with lines in any order, with or without carriage returns, and with formats
 * that have no `a=rtpmap`.
 * @throws {MalformedError} when it has no media or no address, or is too long
 */
export function parseGbDescription(text: string): GbDescription {
  if (text.length > MAX_TEXT_LENGTH) throw new MalformedError(`SDP of more than ${MAX_TEXT_LENGTH} characters`)
  const lines = text.split(/\r\n|\r|\n/u, MAX_LINES + 1).flatMap((line) => {
    const [, type, value] = /^\s*([a-z])=(.*?)\s*$/u.exec(line) ?? []
    return type === undefined ? [] : [{ type, value: value! }]
  })
  if (lines.length > MAX_LINES) throw new MalformedError(`SDP of more than ${MAX_LINES} lines`)
  const first = (type: string) => lines.find((line) => line.type === type)?.value
  const attributes = lines.filter(({ type }) => type === 'a').map(({ value }) => value)
  const times = /^(\d{1,10})\s+(\d{1,10})/u.exec(first('t') ?? '')
  const ssrc = first('y')
  return {
    owner: first('o')?.split(/\s+/u)[0] ?? '',
    name: first('s') ?? '',
    address: addressOf(lines.filter(({ type }) => type === 'c').map(({ value }) => value)),
    uri: first('u'),
    startSeconds: Number(times?.[1] ?? 0),
    stopSeconds: Number(times?.[2] ?? 0),
    media: mediaOf(
      lines.filter(({ type }) => type === 'm').map(({ value }) => value),
      attributes,
    ),
    streamNumber: numberOf(attributes, 'streamnumber'),
    downloadSpeed: numberOf(attributes, 'downloadspeed'),
    fileSizeBytes: numberOf(attributes, 'filesize'),
    ssrc: ssrc !== undefined && SSRC.test(ssrc) ? ssrc.padStart(10, '0') : undefined,
    codecs: first('f'),
  }
}

/** The address of the media: that of its own section, which is the last. */
function addressOf(connections: readonly string[]): string {
  const address = CONNECTION.exec(connections.at(-1) ?? '')?.[1]
  if (address === undefined || isIP(address) === 0) throw new MalformedError('SDP without an address')
  return address
}

function mediaOf(sections: readonly string[], attributes: readonly string[]): GbMedia {
  const parsed = sections.map((section) => MEDIA_LINE.exec(section)).filter((each) => each !== null)
  const media = parsed.find((each) => Number(each[2]) > 0) ?? parsed[0]
  return media === undefined ? noMedia() : mediaWith(media, attributes)
}

function noMedia(): never {
  throw new MalformedError('SDP without media')
}

function mediaWith([, kind, port, protocol, types]: RegExpExecArray, attributes: readonly string[]): GbMedia {
  const maps = new Map(
    attributes.flatMap((attribute): [number, GbFormat][] => {
      const [, payloadType, encoding, clockRate] = RTPMAP.exec(valueOf(attribute, 'rtpmap') ?? '') ?? []
      if (payloadType === undefined) return []
      const format = { payloadType: Number(payloadType), encoding: encoding!, clockRate: Number(clockRate) }
      return [[format.payloadType, format]]
    }),
  )
  const payloadTypes = types!
    .trim()
    .split(/\s+/u)
    .filter((each) => each !== '')
    .map(Number)
  const setup = attributes.flatMap((attribute) => valueOf(attribute, 'setup') ?? []).at(0)
  const directions = ['recvonly', 'sendonly', 'sendrecv'] as const
  return {
    kind: kind!.toLowerCase() as GbMedia['kind'],
    port: Number(port) > 0 && Number(port) <= MAX_PORT ? Number(port) : 0,
    isTcp: protocol!.toUpperCase().startsWith('TCP'),
    formats: payloadTypes.flatMap((payloadType) => maps.get(payloadType) ?? []),
    direction: directions.find((direction) => attributes.includes(direction)),
    setup: setup === 'active' || setup === 'passive' ? setup : undefined,
  }
}

function numberOf(attributes: readonly string[], name: string): number | undefined {
  const text = attributes.flatMap((attribute) => valueOf(attribute, name) ?? []).at(0)
  return text !== undefined && /^\d{1,15}$/u.test(text) ? Number(text) : undefined
}

function valueOf(attribute: string, name: string): string | undefined {
  const [key, ...rest] = attribute.split(':')
  return key?.trim().toLowerCase() === name ? rest.join(':').trim() : undefined
}
