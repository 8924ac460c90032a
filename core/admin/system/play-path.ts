/** A path whose last part has an extension. */
const NAMED_FILE = /^\/(?<stream>.+)\.(?<ending>[a-z0-9]+)$/iu

/**
 * The path that plays a stream on this server when a client asks for it by another server's path: `/flv/live/a.flv` for
 * `/live/a.flv`, and `/hls/live/a/index.m3u8` for `/live/a.m3u8`.
 * @param path the path as it was sent, without its query
 * @param templates the plugins' addresses, with `{streamPath}`
 * @returns undefined where no plugin plays files with such an extension
 */
export function playPathFor(path: string, templates: readonly string[]): string | undefined {
  const file = NAMED_FILE.exec(path)?.groups
  if (file === undefined) return undefined
  for (const template of templates) {
    const [, before, after = ''] = /^https?:\/\/[^/]*(\/.*)\{streamPath\}(.*)$/u.exec(template) ?? []
    if (before === undefined || !after.endsWith(`.${file['ending']}`)) continue
    const stream = path.endsWith(after) ? path.slice(1, -after.length) : file['stream']
    return `${before}${stream}${after}`
  }
  return undefined
}
