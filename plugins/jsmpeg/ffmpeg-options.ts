import { MAX_SIDE, type JsmpegConfig } from './config.ts'

type OutputConfig = Pick<JsmpegConfig, 'width' | 'framerate' | 'bitrate' | 'gop' | 'audio'>

/** Returns the options of ffmpeg's output: JSMpeg plays MPEG-1 without B-frames, and MP2. */
export function ffmpegOptions({ width, framerate, bitrate, gop, audio }: OutputConfig): Record<string, string> {
  const widest = width === 0 ? String.raw`min(iw\,${MAX_SIDE})` : String(width)
  const tallest = width === 0 ? String.raw`min(ih\,${MAX_SIDE})` : String(MAX_SIDE)
  return {
    '-nostdin': '',
    '-nostats': '',
    '-hide_banner': '',
    // `fps` makes a picture for each step of the rate: MPEG-1 has constant frame rates only.
    '-vf': `fps=${framerate},scale=${widest}:${tallest}:force_original_aspect_ratio=decrease:force_divisible_by=2`,
    '-r': String(framerate),
    '-b:v': `${bitrate}k`,
    '-g': String(gop),
    '-bf': '0',
    ...(audio ? { '-codec:a': 'mp2', '-ar': '44100', '-ac': '2' } : { '-an': '' }),
    // ffmpeg writes its output at once, and does not gather it.
    '-muxdelay': '0.001',
    '-flush_packets': '1',
  }
}
