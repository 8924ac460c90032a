import { serializeAmf0, type FlvTag } from 'sluice/sdk/media'
import { codedFrames, sequenceStart, type EnhancedCodec } from './enhanced-tags.ts'
import { makeMediaFile, readMediaFile, type MediaStream } from './media-file.ts'

/** ffmpeg's arguments for the input of test sources. */
const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=rate=25:size=320x240']
const TONE = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000']
/** ffmpeg's arguments for encoders. */
const ENCODERS = {
  hvc1: ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none:bframes=2:keyint=25'],
  av01: ['-c:v', 'libsvtav1', '-preset', '12', '-g', '25'],
  vp09: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-g', '25'],
  avc1: ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-bf', '2'],
  mp4a: ['-c:a', 'aac'],
  Opus: ['-c:a', 'libopus'],
} as const satisfies Record<EnhancedCodec, readonly string[]>

/** Profile 0, level 1.1, 8 bits, 4:2:0, colours unspecified (VP Codec ISO Media File Format Binding). */
const VP9_RECORD = Buffer.from('000b820202020000', 'hex')
/** Tags count from zero, and the first decoding times of B-frames lie below. */
const SHIFT_MS = 1000

/** One stream of an encoder's, with its track's number when it is a further one. */
export type EnhancedSource = {
  readonly codec: EnhancedCodec
  readonly record: Buffer
  readonly stream: MediaStream
  readonly trackId?: number
}

/** Makes a file of two seconds of a test picture or a tone, and reads its one stream. */
export async function makeEnhancedSource(file: string, codec: EnhancedCodec): Promise<EnhancedSource> {
  const input = codec === 'Opus' || codec === 'mp4a' ? TONE : PICTURES
  await makeMediaFile(file, [...input, ...ENCODERS[codec], '-t', '2'])
  const [stream] = await readMediaFile(file)
  if (stream === undefined) throw new Error('ffmpeg made nothing')
  // Sound before the first keyframe reaches nobody.
  const packets = stream.packets.filter(({ dtsMs }) => stream.kind === 'video' || dtsMs >= 0)
  return { codec, record: codec === 'vp09' ? VP9_RECORD : stream.extradata, stream: { ...stream, packets } }
}

/** The enhanced tags of some streams as an encoder would send them. */
export function enhancedTags(sources: readonly EnhancedSource[]): FlvTag[] {
  const frames = sources.flatMap(({ codec, stream, trackId }) =>
    stream.packets.map((packet) => {
      const { dtsMs, ptsMs } = packet
      return codedFrames(codec, { ...packet, dtsMs: dtsMs + SHIFT_MS, ptsMs: ptsMs + SHIFT_MS }, trackId)
    }),
  )
  return [
    metadataOf(sources),
    ...sources.map(({ codec, record, trackId }) => sequenceStart(codec, record, trackId)),
    ...frames.toSorted((a, b) => a.timestampMs - b.timestampMs),
  ]
}

function metadataOf(sources: readonly EnhancedSource[]): FlvTag {
  const fields = sources.map(({ stream }) => [stream.kind === 'video' ? 'videocodecid' : 'audiocodecid', 0] as const)
  return { type: 18, timestampMs: 0, body: serializeAmf0(['@setDataFrame', 'onMetaData', new Map(fields)]) }
}
