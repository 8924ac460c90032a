const CONTENT_TYPES: Readonly<Record<string, string>> = {
  flv: 'video/x-flv',
  jpg: 'image/jpeg',
  m3u8: 'application/vnd.apple.mpegurl',
  m4s: 'video/iso.segment',
  mp4: 'video/mp4',
  ts: 'video/mp2t',
}

/** The media type of an object, by the end of its key: browsers that open a signed address go by that. */
export function contentTypeOf(key: string): string {
  const extension = /\.([^./]+)$/u.exec(key)?.[1] ?? ''
  return CONTENT_TYPES[extension.toLowerCase()] ?? 'application/octet-stream'
}
