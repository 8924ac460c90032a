import {
  type ExtensionMessage,
  parseExtensionMessage,
  serializeExtensionMessage,
  TERMS_FLAG,
} from '../packet/extension-message.ts'
import { EXTENSION_TYPE, type HandshakeExtension } from '../packet/handshake-extension.ts'
import { EXTENSION_FLAG, type HandshakePacket } from '../packet/handshake-packet.ts'
import { parseTurnedText, serializeTurnedText } from '../packet/turned-text.ts'
import { REJECT_REASON } from './reject-reason.ts'

/** The only congestion control of live mode, and the default. */
const LIVE_CONGESTION = 'live'

const KEY_WORDS_AT = 15
const FAILURE_BYTES = 4
const BAD_SECRET_STATE = 4

/** The content of a conclusion's extensions. */
export type Conclusion = {
  /** HSREQ. */
  request: ExtensionMessage | undefined
  /** HSRSP. */
  response: ExtensionMessage | undefined
  /** KMREQ. */
  keyRequest: Buffer | undefined
  /** KMRSP: the message of the request, or 4 bytes with the reason for its refusal. */
  keyResponse: Buffer | undefined
  streamId: string
  congestion: string
  filter: string
  isOfGroup: boolean
}

/** The fields of a handshake that its extensions decide. */
export type ConclusionFields = Pick<HandshakePacket, 'encryptionField' | 'extensionField' | 'extensions'>

/** @throws {MalformedError} when an extension is broken */
export function readConclusion({ extensions }: HandshakePacket): Conclusion {
  const contentOf = (wanted: number): Buffer | undefined => extensions.find(({ type }) => type === wanted)?.content
  const textOf = (wanted: number): string => parseTurnedText(contentOf(wanted) ?? Buffer.alloc(0))
  const messageOf = (wanted: number): ExtensionMessage | undefined => {
    const content = contentOf(wanted)
    return content && parseExtensionMessage(content)
  }
  return {
    request: messageOf(EXTENSION_TYPE.termsRequest),
    response: messageOf(EXTENSION_TYPE.termsResponse),
    keyRequest: contentOf(EXTENSION_TYPE.keyRequest),
    keyResponse: contentOf(EXTENSION_TYPE.keyResponse),
    streamId: textOf(EXTENSION_TYPE.streamId),
    congestion: textOf(EXTENSION_TYPE.congestion),
    filter: textOf(EXTENSION_TYPE.filter),
    isOfGroup: contentOf(EXTENSION_TYPE.group) !== undefined,
  }
}

/** The fields of an initiator's request. */
export function requestFields(message: ExtensionMessage, streamId: string, keyRequest?: Buffer): ConclusionFields {
  const extensions: HandshakeExtension[] = [
    { type: EXTENSION_TYPE.termsRequest, content: serializeExtensionMessage(message) },
  ]
  let extensionField: number = EXTENSION_FLAG.terms
  if (keyRequest) {
    extensions.push({ type: EXTENSION_TYPE.keyRequest, content: keyRequest })
    extensionField += EXTENSION_FLAG.keys
  }
  if (streamId !== '') {
    extensions.push({ type: EXTENSION_TYPE.streamId, content: serializeTurnedText(streamId) })
    extensionField += EXTENSION_FLAG.configuration
  }
  return { encryptionField: keyRequest ? keyRequest[KEY_WORDS_AT]! / 2 : 0, extensionField, extensions }
}

/** The fields of a responder's answer. */
export function responseFields(message: ExtensionMessage, keyResponse?: Buffer): ConclusionFields {
  const extensions: HandshakeExtension[] = [
    { type: EXTENSION_TYPE.termsResponse, content: serializeExtensionMessage(message) },
  ]
  if (keyResponse) extensions.push({ type: EXTENSION_TYPE.keyResponse, content: keyResponse })
  const extensionField = EXTENSION_FLAG.terms + (keyResponse ? EXTENSION_FLAG.keys : 0)
  return { encryptionField: 0, extensionField, extensions }
}

/** The reject reason when the peer asks for a mode that is not live mode between two ends: one of REJECT_REASON. */
export function modeRefusal({ congestion, filter, isOfGroup, ...conclusion }: Conclusion): number | undefined {
  const message = conclusion.request ?? conclusion.response
  if (!message) return REJECT_REASON.rogue
  if ((message.flags & TERMS_FLAG.isStream) !== 0) return REJECT_REASON.messageApi
  if (congestion !== '' && congestion !== LIVE_CONGESTION) return REJECT_REASON.congestion
  if (filter !== '') return REJECT_REASON.filter
  return isOfGroup ? REJECT_REASON.group : undefined
}

/** The reject reason when the peer's answer to a key request means no encryption: one of REJECT_REASON. */
export function keyRefusal(keyRequest: Buffer | undefined, keyResponse: Buffer | undefined): number | undefined {
  if (!keyRequest) return undefined
  if (!keyResponse) return REJECT_REASON.unsecure
  if (keyResponse.length > FAILURE_BYTES) return undefined
  return keyResponse.includes(BAD_SECRET_STATE) ? REJECT_REASON.badSecret : REJECT_REASON.unsecure
}
