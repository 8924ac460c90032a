import { knownSource, type KnownSource } from '../known-source.ts'

/** The sources there are: video and audio, by the names of their codecs. */
export const RTSP_SOURCES = {
  'H.264 and AAC': { videoCodec: 'h264', audioCodec: 'aac' },
  'H.265 and AAC': { videoCodec: 'h265', audioCodec: 'aac' },
  'H.264 and Opus': { videoCodec: 'h264', audioCodec: 'opus' },
  'H.264 and G.711': { videoCodec: 'h264', audioCodec: 'pcma' },
} as const satisfies Record<string, Codecs>

type Codecs = { readonly videoCodec: 'h264' | 'h265'; readonly audioCodec: 'aac' | 'opus' | 'pcma' }

/** The name of a source. */
export type RtspSourceName = keyof typeof RTSP_SOURCES

/** A file whose frames are known. */
export type RtspSource = KnownSource & Codecs & { readonly name: RtspSourceName }

/** Makes a file of codecs that RTSP has, see {@link knownSource}. */
export async function rtspSource(name: RtspSourceName, seconds?: number): Promise<RtspSource> {
  const codecs = RTSP_SOURCES[name]
  return { ...(await knownSource(codecs, seconds)), ...codecs, name }
}
