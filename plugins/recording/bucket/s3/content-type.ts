const CONTENT_TYPES: Readonly<Record<string, string>> = {
  flv: 'video/x-flv',
  jpg: 'image/jpeg',
  m3u8: 'application/vnd.apple.mpegurl',
  m4s: 'video/iso.segment',
  mp4: 'video/mp4',
  ts: 'video/mp2t',
}

/** Returns the media type of an object, by the extension of its key, for browsers that open a signed address. */
export function contentTypeOf(key: string): string {
  const extension = /\.([^./]+)$/u.exec(key)?.[1] ?? ''
  return CONTENT_TYPES[extension.toLowerCase()] ?? 'application/octet-stream'
}
