import type { TimeRange } from '../calendar.ts'
import { encodedPath, type PageConsole, type RecordedFile, type Subject } from '../page-console.ts'

/** Codecs that MPEG-TS has no place for. */
const NOT_IN_TS = /av1|av01|vp0?9|flac/iu
/** The time for which an address with a signature can be used, in seconds: a playlist's is that of its segments, too. */
const SIGNED_SECONDS = 6 * 60 * 60

/** The address of the playlist of a time. */
export function playlistAddress(
  console: PageConsole,
  { type, streamPath }: Subject,
  { fromMs, toMs }: TimeRange,
  codecs: string,
): Promise<string> {
  const time = { start: fromMs, end: toMs }
  if (type === 'mp4' && NOT_IN_TS.test(codecs)) {
    return mediaAddress(console, 'hls', streamPath, '/hls/vod/fmp4.m3u8', { streamPath, ...time })
  }
  return mediaAddress(console, 'hls', streamPath, `/hls/${encodedPath(streamPath)}.m3u8`, { ...time, type })
}

/** The address by which a time is saved as one file. */
export function rangeAddress(console: PageConsole, { type, streamPath }: Subject, { fromMs, toMs }: TimeRange) {
  const time = { start: fromMs, end: toMs }
  const path = encodedPath(streamPath)
  if (type === 'mp4') return mediaAddress(console, 'mp4', streamPath, `/mp4/download/${path}.mp4`, time)
  if (type === 'flv') return mediaAddress(console, 'flv', streamPath, `/flv/download/${path}`, time)
  return mediaAddress(console, 'hls', streamPath, `/hls/download/${path}.ts`, { ...time, type })
}

/** The address by which a file is saved. */
export function fileAddress(console: PageConsole, subject: Subject, file: RecordedFile): Promise<string> {
  const { type, streamPath } = subject
  if (type !== 'mp4') return rangeAddress(console, subject, file)
  return mediaAddress(console, 'mp4', streamPath, `/mp4/download/${encodedPath(streamPath)}.mp4`, { id: file.id })
}

/** Saves what lies at an address. */
export async function download(console: PageConsole, address: Promise<string>): Promise<void> {
  await console.change(async () => {
    const link = document.createElement('a')
    link.href = await address
    link.download = ''
    link.click()
  })
}

function mediaAddress(
  { api }: PageConsole,
  plugin: string,
  streamPath: string,
  path: string,
  query: Readonly<Record<string, string | number>>,
): Promise<string> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return api.mediaUrl(`${path}?${search}`, { plugin, streamPath, seconds: SIGNED_SECONDS })
}
