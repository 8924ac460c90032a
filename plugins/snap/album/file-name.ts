/** The characters that some systems forbid in names of files. */
const FORBIDDEN = /[\u0000-\u001f\u007f<>:"|?*\\/]/gu
/** The longest beginning of a name, in bytes of UTF-8: with time, number and ending it is as long as names may be. */
const MAX_STREAM_BYTES = 160

/**
 * The name of a picture's file, without ending (api.md 8.7): the stream's path with `_` for `/`, and the time in UTC, as
 * `live_cam_20060102150405.000`.
 */
export function pictureName(streamPath: string, atMs: number): string {
  const bytes = Buffer.from(streamPath.toWellFormed().replaceAll(FORBIDDEN, '_'))
  // A character that was cut in two is left out.
  const stream = bytes.toString('utf8', 0, MAX_STREAM_BYTES).replace(/\uFFFD+$/u, '')
  const stamp = new Date(atMs).toISOString().replaceAll(/[-:TZ]/gu, '')
  return `${stream}_${stamp}`
}
