/** A path whose last part has an ending. */
const NAMED_FILE = /^\/(?<stream>.+)\.(?<ending>[a-z0-9]+)$/iu

/**
 * The path that plays here what a path of other servers' habit names: `/flv/live/a.flv` for `/live/a.flv`, and
 * `/hls/live/a/index.m3u8` for `/live/a.m3u8`.
 * @param path as it was sent, without its query
 * @param templates addresses with `{streamPath}`, as plugins tell them
 * @returns undefined where no plugin plays files with such an ending
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
