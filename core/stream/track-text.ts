import type { Track } from 'sluice/sdk'

/** A track as a log line shows it, for example `h264 1280x720` or `aac 44100 Hz stereo`; unknown values are left out. */
export function trackText(track: Track): string {
  const { codec } = track
  if (track.kind === 'video') {
    const { width, height } = track.config
    return width > 0 && height > 0 ? `${codec} ${width}x${height}` : codec
  }
  if (track.kind === 'data') return codec
  const { sampleRate, channels } = track.config
  return [codec, sampleRate > 0 ? `${sampleRate} Hz` : '', channelText(channels)]
    .filter((part) => part !== '')
    .join(' ')
}

function channelText(channels: number): string {
  switch (channels) {
    case 0:
      return ''
    case 1:
      return 'mono'
    case 2:
      return 'stereo'
    default:
      return `${channels} channels`
  }
}
