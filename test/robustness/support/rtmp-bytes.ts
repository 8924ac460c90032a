import { serializeAmf0 } from 'sluice/sdk/media'
import { messageBytes } from './rtmp-client.ts'

/** RTMP message types. */
const AUDIO = 8
export const VIDEO = 9
export const COMMAND = 20
const AGGREGATE = 22

const MAX_SIZE_BYTES = 0xff_ff_ff
const MIB = 1024 * 1024

/** A chunk with a full header that announces a message of a size; what follows is up to the caller. */
export function chunk(chunkStreamId: number, typeId: number, sizeBytes: number, payload: Buffer = Buffer.alloc(0)) {
  const extended = chunkStreamId - 64
  const basic = chunkStreamId < 64 ? [chunkStreamId] : [1, extended & 0xff, extended >>> 8]
  const header = Buffer.from([...basic, 0, 0, 0, 0, 0, 0, typeId, 1, 0, 0, 0])
  header.writeUIntBE(sizeBytes, basic.length + 3, 3)
  return Buffer.concat([header, payload])
}

/** A message in one chunk, of a chunk size that is announced before it. */
export function wholeMessage(typeId: number, payload: Buffer): Buffer {
  const chunkSize = messageBytes({ kind: 'setChunkSize', sizeBytes: MAX_SIZE_BYTES })
  return Buffer.concat([chunkSize, chunk(5, typeId, payload.length, payload)])
}

/** A `connect` whose properties are objects within objects. */
export function nestedCommand(depth: number): Buffer {
  const open = Buffer.from([0x03, 0x00, 0x01, 0x61])
  return wholeMessage(COMMAND, Buffer.concat([serializeAmf0(['connect', 1]), ...Array<Buffer>(depth).fill(open)]))
}

/** An aggregate of empty audio messages. */
export function aggregate(count: number): Buffer {
  const empty = Buffer.from([AUDIO, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11])
  return wholeMessage(AGGREGATE, Buffer.concat(Array<Buffer>(count).fill(empty)))
}

/** The first 128 bytes of a message on each of many chunk streams. */
export function beginnings(count: number): Buffer {
  const starts = Array.from({ length: count }, (_, index) => chunk(64 + index, VIDEO, 1000, Buffer.alloc(128)))
  return Buffer.concat([messageBytes({ kind: 'setChunkSize', sizeBytes: 128 }), ...starts])
}

/** The first MiB of messages of the largest size, on so many chunk streams. */
export function unfinished(count: number): Buffer {
  const parts = [messageBytes({ kind: 'setChunkSize', sizeBytes: MIB })]
  for (let id = 3; id < 3 + count; id++) parts.push(chunk(id, VIDEO, MAX_SIZE_BYTES, Buffer.alloc(MIB)))
  return Buffer.concat(parts)
}

/** What announces the largest chunk size and a message of the largest size, and nothing of the message. */
export function claim(): Buffer {
  const chunkSize = messageBytes({ kind: 'setChunkSize', sizeBytes: 0x7f_ff_ff_ff })
  return Buffer.concat([chunkSize, chunk(6, VIDEO, MAX_SIZE_BYTES)])
}
