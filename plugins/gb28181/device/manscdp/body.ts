import type { SipMessage } from '../sip/message.ts'
import { decodeText, encodeText, type Charset } from './charset.ts'
import { element, elementsOf, parseXml, serializeXml, textOf, type XmlElement } from './xml.ts'

/** The media type of bodies of MANSCDP (GB/T 28181-2022 A.1). */
export const MANSCDP_TYPE = 'Application/MANSCDP+xml'

/** The kind of a body of MANSCDP (A.2): an order, a question, an answer or a notice. */
export type BodyKind = 'Control' | 'Query' | 'Notify' | 'Response'

/** A body of MANSCDP as it has come in. */
export type ReceivedBody = {
  /** The name of the outermost element, such as `Query`. */
  readonly kind: string
  readonly cmdType: string
  /** As it was written, since an answer repeats it. */
  readonly sn: string
  readonly deviceId: string
  readonly root: XmlElement
}

/** The form in which bodies are written. */
export type Writing = {
  readonly charset: Charset
  /** The charset in the declaration, right or wrong. */
  readonly declared: Charset
}

/**
 * Reads a body.
 * @throws {MalformedError} when it is no XML
 */
export function parseBody({ body }: SipMessage): ReceivedBody {
  const root = parseXml(decodeText(body))
  const field = (name: string) => textOf(root, name) ?? ''
  return { kind: root.name, cmdType: field('CmdType'), sn: field('SN'), deviceId: field('DeviceID'), root }
}

/** Makes a body of the fields that all have, and further ones. */
export function bodyOf(
  kind: BodyKind,
  { cmdType, sn, deviceId }: Pick<ReceivedBody, 'cmdType' | 'deviceId'> & { readonly sn: string | number },
  further: readonly XmlElement[] = [],
): XmlElement {
  return element(kind, [...elementsOf({ CmdType: cmdType, SN: sn, DeviceID: deviceId }), ...further])
}

/** The bytes of a body, with its declaration. */
export function serializeBody(body: XmlElement | string, { charset, declared }: Writing): Buffer {
  const text = typeof body === 'string' ? body : serializeXml(body)
  return encodeText(`<?xml version="1.0" encoding="${declared}"?>\r\n${text}`, charset)
}
