import { MalformedError, parseAmf0, serializeAmf0 } from 'sluice/sdk/media'
import type { AmfValue } from 'sluice/sdk/media'
import { withAmf3Prefix, withoutAmf3Prefix } from './amf3-prefix.ts'
import { MESSAGE_TYPE } from './message-type.ts'
import type { MessageBody } from './raw-message.ts'

/** More than any command of RTMP takes; `connect` has one or two. */
export const MAX_COMMAND_ARGUMENTS = 64

/** A command or the answer to one (RTMP 1.0 §7.1.1, §7.2): `[name, transaction id, object, …arguments]` in AMF. */
export type Command = {
  readonly kind: 'command'
  readonly name: string
  /** Repeated by the answer; 0 when none is wanted. */
  readonly transactionId: number
  /** Properties of `connect` and of its answer; else `null`. */
  readonly commandObject: AmfValue
  readonly args: readonly AmfValue[]
  /** Came, or leaves, in a message of type 17, which a peer with `objectEncoding` 3 uses. */
  readonly amf3: boolean
}

/**
 * Parses the payload of a message of type 20, or of type 17 when `amf3` is set.
 * @throws {MalformedError} when it is not AMF, or has no name, or something else than a number where the transaction id goes.
 */
export function parseCommand(payload: Buffer, amf3: boolean): Command {
  // ffmpeg, as a server, sends `onFCPublish` as a name alone.
  const [name, transactionId = 0, commandObject, ...args] = parseAmf0(amf3 ? withoutAmf3Prefix(payload) : payload)
  if (typeof name !== 'string') throw new MalformedError('command without a name')
  if (typeof transactionId !== 'number') throw new MalformedError('command with a transaction id that is no number')
  if (args.length > MAX_COMMAND_ARGUMENTS) throw new MalformedError(`command with ${args.length} arguments`)
  return { kind: 'command', name, transactionId, commandObject: commandObject ?? null, args, amf3 }
}

export function serializeCommand(command: Command): MessageBody {
  const values = serializeAmf0([command.name, command.transactionId, command.commandObject, ...command.args])
  return command.amf3
    ? { typeId: MESSAGE_TYPE.commandAmf3, payload: withAmf3Prefix(values) }
    : { typeId: MESSAGE_TYPE.commandAmf0, payload: values }
}
