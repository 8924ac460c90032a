import type { Console } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'

export type PageConsole = Console<Paths>

/** A file of a recording, with its times in milliseconds since the Unix epoch. */
export type RecordedFile = {
  readonly id: number
  readonly fromMs: number
  readonly toMs: number
  readonly sizeBytes: number
  readonly codecs: string
  readonly isActive: boolean
}

/** The types of recordings, and their names for people. */
export const TYPE_NAMES: Readonly<Record<string, string>> = { mp4: 'MP4', flv: 'FLV', hls: 'MPEG-TS', hlsv7: 'fMP4' }

/** A stream whose recordings of one type are shown. */
export type Subject = { readonly type: string; readonly streamPath: string }

/** The path of a stream in an address. */
export function encodedPath(streamPath: string): string {
  return streamPath.split('/').map(encodeURIComponent).join('/')
}

/** The address of a stream's recordings in the console. */
export function pageOf({ type, streamPath }: Subject): string {
  return `/recording/recordings/${encodeURIComponent(type)}/${encodedPath(streamPath)}`
}

export function titleOf({ type, streamPath }: Subject): string {
  return `${streamPath} · ${TYPE_NAMES[type] ?? type}`
}
