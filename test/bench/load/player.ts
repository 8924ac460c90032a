import type { Marker } from '../media/marker.ts'

/**
 * How a viewer may take a stream without end; `rtsp` in the connection, `rtsp-udp` in datagrams, `webrtc` by WHEP, `srt-aes`
 * encrypted by AES-128.
 */
export const STREAM_FORMATS = ['rtmp', 'rtsp', 'rtsp-udp', 'flv', 'ws', 'webrtc', 'srt', 'srt-aes'] as const
/** How it may ask for HLS: parts, by blocking reloads; or whole segments, by a playlist that it polls. */
export const HLS_FORMATS = ['hls-parts', 'hls-segments'] as const
export const FORMATS = [...STREAM_FORMATS, ...HLS_FORMATS] as const
export type Format = (typeof FORMATS)[number]
export type HlsFormat = (typeof HLS_FORMATS)[number]

export function isHls(format: Format): format is HlsFormat {
  return HLS_FORMATS.some((known) => known === format)
}

export function isRtsp(format: Format): boolean {
  return format === 'rtsp' || format === 'rtsp-udp'
}

export function isSrt(format: Format): boolean {
  return format === 'srt' || format === 'srt-aes'
}

/** What `srt-aes` is encrypted by. */
export const SRT_PASSPHRASE = 'passphrase-of-the-benchmark'

/** Those that are played without end. */
export function streamsIn(formats: readonly Format[]): Format[] {
  return formats.filter((format) => !isHls(format))
}

/** Where a stream is played or published: RTMP and RTSP by app and name, SRT by its stream id, the others by the path of their first request. */
export type Target = {
  readonly format: Format
  readonly port: number
  readonly path: string
  /** The port is that of the first viewer, and each other one has the next. */
  readonly isPortOfViewer?: boolean
}

/** A picture as far as the load looks at it: whether it is a keyframe, and the marker that its publisher has put into it. */
export type Picture = { readonly keyframe: boolean; readonly marker: Marker | null }

export type PlayerEvents = {
  send(bytes: Buffer): void
  picture(picture: Picture): void
  /** So many bytes came in another way than the connection; returns whether they are to be read. */
  received(sizeBytes: number): boolean
  /** The server refused. */
  failed(reason: string): void
}

/** A viewer's side of one protocol, without its socket. */
export interface Player {
  /** The connection is there. */
  start(): void
  /** Takes bytes over and reads them. */
  receive(bytes: Buffer): void
  /** So many bytes came in that nobody reads. */
  count?(sizeBytes: number): void
  /** Closes what the player has opened besides the connection. */
  close?(): void
}
