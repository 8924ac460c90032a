import { fullBox, parseFullBox, type Box } from '../box.ts'
import { uint32 } from './fields.ts'

/** The head of a last metadata block that is a STREAMINFO; its length is added. */
const LAST_STREAM_INFO = 0x8000_0000
const STREAM_INFO_SIZE_BYTES = 34

/** `dfLa` of a STREAMINFO (Encapsulation of FLAC in ISOBMFF 3.3.2): its one metadata block. */
export function serializeFlacSpecific(streamInfo: Buffer): Box {
  return fullBox('dfLa', 0, 0, [uint32(LAST_STREAM_INFO + streamInfo.length), streamInfo])
}

/** The STREAMINFO of a `dfLa`, which is its first block. @throws {MalformedError} when it ends early. */
export function parseFlacSpecific(body: Buffer): Buffer {
  const { fields } = parseFullBox(body)
  fields.readUint(4)
  return fields.readBytes(STREAM_INFO_SIZE_BYTES)
}
