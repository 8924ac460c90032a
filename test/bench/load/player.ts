/** How a viewer may take a stream without end. */
export const STREAM_FORMATS = ['rtmp', 'flv', 'ws'] as const
/** How it may ask for HLS: parts, by blocking reloads; or whole segments, by a playlist that it polls. */
export const HLS_FORMATS = ['hls-parts', 'hls-segments'] as const
export const FORMATS = [...STREAM_FORMATS, ...HLS_FORMATS] as const
export type Format = (typeof FORMATS)[number]
export type HlsFormat = (typeof HLS_FORMATS)[number]

export function isHls(format: Format): format is HlsFormat {
  return HLS_FORMATS.some((known) => known === format)
}

/** Those that are played without end. */
export function streamsIn(formats: readonly Format[]): Format[] {
  return formats.filter((format) => !isHls(format))
}

/** Where a stream is played or published: RTMP by app and name, the others by the path of their first request. */
export type Target = { readonly format: Format; readonly port: number; readonly path: string }

export type PlayerEvents = {
  send(bytes: Buffer): void
  /** The body of a video tag, sequence headers included. */
  video(body: Buffer): void
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
}
