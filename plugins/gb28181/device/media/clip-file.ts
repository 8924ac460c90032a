import { open, readFile } from 'node:fs/promises'
import { FLV_TAG_TYPE, FlvReader, FlvTagDemuxer, TsDemuxer } from 'sluice/sdk/media'
import { ClipSink, makeClip, type Clip } from './clip.ts'
import { clipByFfmpeg } from './ffmpeg-clip.ts'

const SYNC_BYTE = 0x47
/** The bytes that show what a file is. */
const SHOWN_BYTES = 3

/**
 * Reads a clip from a file: MPEG-TS and FLV as they are, all else through ffmpeg, which must be installed then.
 * @throws {Error} when the file can't be read, or has no media that a program stream can carry
 */
export async function readClip(file: string): Promise<Clip> {
  const head = await firstBytes(file)
  if (head.toString('latin1') === 'FLV') return clipOfFlv(await readFile(file))
  if (head[0] === SYNC_BYTE) return clipOfTs(await readFile(file))
  return clipByFfmpeg({ file })
}

/**
 * Reads a clip from the bytes of an MPEG-TS.
 * @throws {RangeError} when there is no media in them
 */
function clipOfTs(bytes: Buffer): Clip {
  const sink = new ClipSink()
  const demuxer = new TsDemuxer(sink)
  demuxer.push(bytes)
  demuxer.flush()
  return makeClip(sink.units)
}

/**
 * Reads a clip from the bytes of an FLV file.
 * @throws {RangeError} when there is no media in them
 * @throws {MalformedError} when they are not FLV
 */
function clipOfFlv(bytes: Buffer): Clip {
  const sink = new ClipSink()
  const demuxer = new FlvTagDemuxer(sink)
  for (const { type, timestampMs, body } of new FlvReader().push(bytes)) {
    if (type === FLV_TAG_TYPE.video) demuxer.video(timestampMs, body)
    else if (type === FLV_TAG_TYPE.audio) demuxer.audio(timestampMs, body)
  }
  return makeClip(sink.units)
}

async function firstBytes(file: string): Promise<Buffer> {
  const handle = await open(file)
  try {
    const bytes = Buffer.alloc(SHOWN_BYTES)
    await handle.read(bytes, 0, bytes.length, 0)
    return bytes
  } finally {
    await handle.close()
  }
}
