const BY_SCHEME: Readonly<Record<string, string>> = {
  'rtmp:': 'rtmp',
  'rtmps:': 'rtmp',
  'rtsp:': 'rtsp',
  'rtsps:': 'rtsp',
  'srt:': 'srt',
  'whep:': 'webrtc',
  'wheps:': 'webrtc',
}

const BY_ENDING: Readonly<Record<string, string>> = { '.m3u8': 'hls', '.flv': 'flv', '.mp4': 'mp4' }

/** The protocol that an address is of, by its scheme or the ending of its path; undefined when they don't tell. */
export function guessProtocol({ protocol, pathname }: URL): string | undefined {
  const ending = /\.[^./]+$/u.exec(pathname)?.[0].toLowerCase() ?? ''
  return BY_SCHEME[protocol] ?? BY_ENDING[ending]
}
