/** How a viewer may take a stream. */
export const FORMATS = ['rtmp', 'flv', 'ws'] as const
export type Format = (typeof FORMATS)[number]

/** Where a stream is played or published: RTMP by app and name, the others by the path of their request. */
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
  /** So many bytes came in, whether or not they are read. */
  count?(sizeBytes: number): void
}
