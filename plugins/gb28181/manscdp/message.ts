import { MalformedError } from 'sluice/sdk/media'
import { decodeGbText, encodeGbText, type GbCharset } from './charset.ts'
import { parseXml, type XmlElement } from './element.ts'
import { escapeXmlText } from './xml-text.ts'

/** The content type of messages of MANSCDP (GB/T 28181-2022 9.3 and annex A). */
export const MANSCDP_CONTENT_TYPE = 'Application/MANSCDP+xml'

/** The largest body that is read. */
export const MAX_BODY_BYTES = 1024 * 1024

const KINDS = ['Control', 'Query', 'Notify', 'Response'] as const
/** The root of a message. */
export type ManscdpKind = (typeof KINDS)[number]

/** An element by its name, with a text or with elements; without a value it is left out. */
export type ManscdpField = readonly [name: string, value: string | number | readonly ManscdpField[] | undefined]

/** The content of a message, before it has its number. */
export type ManscdpBody = {
  readonly kind: ManscdpKind
  readonly cmdType: string
  /** The device, channel or platform that it is about. */
  readonly deviceId: string
  readonly fields: readonly ManscdpField[]
}

/** A message that has come. */
export type ManscdpMessage = {
  readonly kind: ManscdpKind
  readonly cmdType: string
  /** The number by which an answer belongs to its question; 0 without one. */
  readonly sn: number
  /** Empty without one. */
  readonly deviceId: string
  readonly root: XmlElement
}

/**
 * Reads a message.
 * @param preferred the charset of the device, where its bytes leave that open
 * @throws {MalformedError} when it is too large, no XML, of another kind, or without a command
 */
export function parseManscdp(body: Buffer, preferred?: GbCharset): ManscdpMessage {
  if (body.length > MAX_BODY_BYTES) throw new MalformedError(`MANSCDP of more than ${MAX_BODY_BYTES} bytes`)
  const root = parseXml(decodeGbText(body, preferred))
  const kind = KINDS.find((each) => each.toLowerCase() === root.name.toLowerCase())
  if (kind === undefined) throw new MalformedError('MANSCDP of another kind than Control, Query, Notify and Response')
  const cmdType = root.text('CmdType')
  if (cmdType === undefined) throw new MalformedError('MANSCDP without a command')
  return { kind, cmdType, sn: root.integer('SN') ?? 0, deviceId: root.text('DeviceID') ?? '', root }
}

/** Writes a message with its number, which is 1 or above. */
export function serializeManscdp(message: ManscdpBody & { readonly sn: number }, charset: GbCharset): Buffer {
  const { kind, cmdType, sn, deviceId, fields } = message
  const head: readonly ManscdpField[] = [
    ['CmdType', cmdType],
    ['SN', sn],
    ['DeviceID', deviceId],
  ]
  const xml = serializeField([kind, [...head, ...fields]])
  return encodeGbText(`<?xml version="1.0" encoding="${charset}"?>\r\n${xml}`, charset)
}

function serializeField([name, value]: ManscdpField): string {
  if (value === undefined) return ''
  const content = typeof value === 'object' ? `\r\n${value.map(serializeField).join('')}` : escapeXmlText(String(value))
  return `<${name}>${content}</${name}>\r\n`
}
