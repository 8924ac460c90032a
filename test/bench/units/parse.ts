import { FlvReader, FlvTagDemuxer, serializeFlvFileHeader, serializeFlvTag, type FlvTag } from 'sluice/sdk/media'
import { ChunkReader } from '../../../plugins/rtmp/wire/chunk/chunk-reader.ts'
import { serializeChunks } from '../../../plugins/rtmp/wire/chunk/chunk-writer.ts'
import { parseMessage } from '../../../plugins/rtmp/wire/message/message.ts'
import type { Tape } from '../media/tape.ts'
import { CountingSink } from './recorded-units.ts'
import type { UnitBench } from './unit-bench.ts'

/** What an encoder sends, and how much of it one read of a socket gives. */
const CHUNK_SIZE_BYTES = 4096
const READ_SIZE_BYTES = 64 * 1024
const SET_CHUNK_SIZE = 1
const CONTROL = { chunkStreamId: 2, typeId: SET_CHUNK_SIZE, messageStreamId: 0, timestamp: 0 }

/** From the bytes of a publisher to access units. */
export function parseBenches(tape: Tape): UnitBench[] {
  const tags = [...tape.headers, ...tape.tags]
  const units = tape.tags.length
  const rtmp = inReads(rtmpBytes(tags))
  const flv = inReads(flvBytes(tags))
  return [
    { name: 'parse rtmp', units, run: () => parseRtmp(rtmp) },
    { name: 'parse flv', units, run: () => parseFlv(flv) },
  ]
}

function parseRtmp(reads: readonly Buffer[]): void {
  const reader = new ChunkReader()
  const demuxer = new FlvTagDemuxer(new CountingSink())
  for (const bytes of reads) {
    reader.push(bytes)
    for (let raw = reader.read(); raw !== null; raw = reader.read()) {
      const message = parseMessage(raw)
      if (message?.kind === 'video') demuxer.video(raw.timestamp, message.payload)
      else if (message?.kind === 'audio') demuxer.audio(raw.timestamp, message.payload)
    }
  }
}

function parseFlv(reads: readonly Buffer[]): void {
  const reader = new FlvReader()
  const demuxer = new FlvTagDemuxer(new CountingSink())
  for (const bytes of reads) {
    for (const { type, timestampMs, body } of reader.push(bytes)) {
      if (type === 9) demuxer.video(timestampMs, body)
      else demuxer.audio(timestampMs, body)
    }
  }
}

function rtmpBytes(tags: readonly FlvTag[]): Buffer {
  const chunkSize = Buffer.alloc(4)
  chunkSize.writeUInt32BE(CHUNK_SIZE_BYTES)
  const messages = tags.map(({ type, timestampMs, body }) =>
    serializeChunks(
      { chunkStreamId: type, typeId: type, messageStreamId: 1, timestamp: timestampMs },
      [body],
      CHUNK_SIZE_BYTES,
    ),
  )
  return Buffer.concat([serializeChunks(CONTROL, [chunkSize], 128), ...messages])
}

function flvBytes(tags: readonly FlvTag[]): Buffer {
  const header = serializeFlvFileHeader({ audio: true, video: true })
  return Buffer.concat([
    header,
    ...tags.map(({ type, timestampMs, body }) => serializeFlvTag(type, timestampMs, [body])),
  ])
}

function inReads(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / READ_SIZE_BYTES)
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * READ_SIZE_BYTES, (index + 1) * READ_SIZE_BYTES),
  )
}
