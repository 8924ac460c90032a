import type { Track } from '../track.ts'

/**
 * What a multivariant playlist's CODECS says of a track. It is the configuration's `codecString`, but for the names that
 * players of HLS know otherwise: MP3 is an object type of MPEG-4 audio, whatever the container, and FLAC is as its
 * sample entry.
 */
export function codecsOf({ codec, config }: Track): string {
  if (codec === 'mp3') return 'mp4a.40.34'
  if (codec === 'flac') return 'fLaC'
  return config.codecString
}
