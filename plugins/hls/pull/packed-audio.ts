import { AccessUnit, type Track, type UnitSink } from 'sluice/sdk'
import { aacConfigFromAdts, MalformedError, splitAdts } from 'sluice/sdk/media'

const ID3_HEADER_SIZE_BYTES = 10
const ID3_FRAME_HEADER_SIZE_BYTES = 10
/** The owner of the ID3 frame with the start of a segment (RFC 8216 3.4). */
const TIMESTAMP_OWNER = Buffer.from('com.apple.streaming.transportStreamTimestamp\0')
const TIMESCALE = 90_000
const SAMPLES_PER_FRAME = 1024

/** Turns segments of packed audio (RFC 8216 3.4), ADTS frames after an ID3 tag, into units of one track. */
export class PackedAudioDemuxer {
  readonly #sink: UnitSink
  #track: Track | undefined
  /** The start of a segment without a timestamp of its own. */
  #nextDts = 0

  constructor(sink: UnitSink) {
    this.#sink = sink
  }

  /**
   * Reads a whole segment, which becomes part of the units.
   * @throws {MalformedError} when it is malformed
   */
  push(segment: Buffer): void {
    const { timestamp, rest } = readId3(segment)
    let dts = timestamp ?? this.#nextDts
    for (const frame of splitAdts(rest).frames) {
      const track = (this.#track ??= this.#sink.addTrack({
        kind: 'audio',
        codec: 'aac',
        timescale: TIMESCALE,
        config: aacConfigFromAdts(frame),
      }))
      const tick = Math.round(dts)
      this.#sink.write(AccessUnit.fromData(track, tick, tick, true, frame.data))
      dts += (SAMPLES_PER_FRAME * TIMESCALE) / frame.sampleRate
    }
    this.#nextDts = dts
  }

  flush(): void {}
}

/** Reads the ID3 tag (ID3 2.4 section 3); its sizes have seven bits a byte. */
function readId3(segment: Buffer): { timestamp: number | undefined; rest: Buffer } {
  if (!isId3(segment)) return { timestamp: undefined, rest: segment }
  const sizeBytes = ID3_HEADER_SIZE_BYTES + sevenBits(segment, 6)
  if (segment.length < sizeBytes) throw new MalformedError(`ID3 tag of ${sizeBytes} bytes in ${segment.length}`)
  const tag = segment.subarray(0, sizeBytes)
  let timestamp: number | undefined
  for (let at = ID3_HEADER_SIZE_BYTES; at + ID3_FRAME_HEADER_SIZE_BYTES < tag.length;) {
    const start = at + ID3_FRAME_HEADER_SIZE_BYTES
    const end = start + sevenBits(tag, at + 4)
    const body = tag.subarray(start, end)
    const stamp = body.subarray(TIMESTAMP_OWNER.length)
    const owned = body.subarray(0, TIMESTAMP_OWNER.length).equals(TIMESTAMP_OWNER)
    if (tag.toString('latin1', at, at + 4) === 'PRIV' && owned && stamp.length === 8) {
      timestamp = (stamp.readUInt32BE(0) & 1) * 2 ** 32 + stamp.readUInt32BE(4)
    }
    at = end
  }
  return { timestamp, rest: segment.subarray(sizeBytes) }
}

/** True when the bytes begin with an ID3 tag. */
export function isId3(bytes: Buffer): boolean {
  return bytes.length >= ID3_HEADER_SIZE_BYTES && bytes.toString('latin1', 0, 3) === 'ID3'
}

function sevenBits(bytes: Buffer, offset: number): number {
  let value = 0
  for (const byte of bytes.subarray(offset, offset + 4)) value = value * 128 + (byte & 0x7f)
  return value
}
