import { splitAdts, serializeAdtsHeader } from 'sluice/sdk/media'

const OWNER = 'com.apple.streaming.transportStreamTimestamp\0'
const SAMPLES_PER_FRAME = 1024

/** A segment of packed audio (RFC 8216 3.4). */
export type PackedSegment = { readonly durationSeconds: number; readonly bytes: Buffer }

/** Cuts ADTS into segments, each with the tag that says when it starts, in ticks of 90 kHz. */
export function packAudio(adts: Buffer, startTicks: number, framesPerSegment: number): PackedSegment[] {
  const { frames } = splitAdts(adts)
  const segments: PackedSegment[] = []
  for (let index = 0; index < frames.length; index += framesPerSegment) {
    const own = frames.slice(index, index + framesPerSegment)
    const ticksPerFrame = (SAMPLES_PER_FRAME * 90_000) / own[0]!.sampleRate
    const bytes = own.flatMap((frame) => [serializeAdtsHeader(frame, frame.data.length), frame.data])
    segments.push({
      durationSeconds: (own.length * ticksPerFrame) / 90_000,
      bytes: Buffer.concat([timestampTag(startTicks + Math.round(index * ticksPerFrame)), ...bytes]),
    })
  }
  return segments
}

/** ID3 2.4 with one PRIV frame. */
function timestampTag(ticks: number): Buffer {
  const stamp = Buffer.alloc(8)
  stamp.writeBigUInt64BE(BigInt(ticks))
  const body = Buffer.concat([Buffer.from(OWNER), stamp])
  const frame = Buffer.concat([Buffer.from('PRIV'), Buffer.from([0, 0, 0, body.length, 0, 0]), body])
  return Buffer.concat([Buffer.from('ID3'), Buffer.from([4, 0, 0, 0, 0, 0, frame.length]), frame])
}
