import { MalformedError, parseAmf0, serializeAmf0 } from 'sluice/sdk/media'
import type { AmfValue } from 'sluice/sdk/media'
import { withAmf3Prefix, withoutAmf3Prefix } from './amf3-prefix.ts'
import { MESSAGE_TYPE } from './message-type.ts'
import type { MessageBody } from './raw-message.ts'

/** Metadata and cue points (RTMP 1.0 §7.1.2): `@setDataFrame`, `onMetaData`, `onTextData` and the like. */
export type Data = {
  readonly kind: 'data'
  readonly name: string
  readonly values: readonly AmfValue[]
  /** Came, or leaves, in a message of type 15. */
  readonly amf3: boolean
}

/**
 * Parses the payload of a message of type 18, or of type 15 when `amf3` is set.
 * @throws {MalformedError} when it is not AMF, or has no name.
 */
export function parseData(payload: Buffer, amf3: boolean): Data {
  const [name, ...values] = parseAmf0(amf3 ? withoutAmf3Prefix(payload) : payload)
  if (typeof name !== 'string') throw new MalformedError('data message without a name')
  return { kind: 'data', name, values, amf3 }
}

export function serializeData(data: Data): MessageBody {
  const values = serializeAmf0([data.name, ...data.values])
  return data.amf3
    ? { typeId: MESSAGE_TYPE.dataAmf3, payload: withAmf3Prefix(values) }
    : { typeId: MESSAGE_TYPE.dataAmf0, payload: values }
}
