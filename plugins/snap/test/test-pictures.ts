import { execFileSync } from 'node:child_process'
import type { AccessUnit, Track, TrackInit, UnitSink } from 'sluice/sdk'
import { Fmp4Demuxer } from 'sluice/sdk/media'

/** The colors of the test picture, one a second. */
export const COLORS = ['red', 'lime', 'blue', 'yellow', 'white', 'black'] as const
export type Color = (typeof COLORS)[number]
export const WIDTH = 320
export const HEIGHT = 240
export const FPS = 25

const FFMPEG = 'ffmpeg'
const MAX_BYTES = 256 * 1024 * 1024

/** ffmpeg's arguments for a picture of another color each second, for `seconds`. */
export function colorInput(seconds: number): string[] {
  const sources = Array.from({ length: seconds }, (_, second) => {
    return `color=${COLORS[second % COLORS.length]}:s=${WIDTH}x${HEIGHT}:r=${FPS}:d=1[c${second}]`
  })
  const names = Array.from({ length: seconds }, (_, second) => `[c${second}]`).join('')
  return ['-f', 'lavfi', '-i', `${sources.join(';')};${names}concat=n=${seconds}`]
}

const KEYFRAME_A_SECOND = ['-force_key_frames', 'expr:gte(t,n_forced)', '-g', String(FPS)]

/** Encodes the test picture, by default with a keyframe a second. */
export function encodedColors(
  seconds: number,
  encoder: readonly string[],
  container: readonly string[],
  pace: readonly string[] = KEYFRAME_A_SECOND,
): Buffer {
  const keyframes = [...pace, '-pix_fmt', 'yuv420p']
  const args = ['-v', 'error', '-nostdin', ...colorInput(seconds), ...encoder, ...keyframes, ...container, 'pipe:1']
  return execFileSync(FFMPEG, args, { maxBuffer: MAX_BYTES })
}

export const FRAGMENTED = ['-movflags', '+frag_keyframe+delay_moov+default_base_moof', '-f', 'mp4']

/** The units of a fragmented MP4. */
export function unitsOf(mp4: Buffer): AccessUnit[] {
  const sink = new UnitList()
  new Fmp4Demuxer(sink).push(mp4)
  return sink.units
}

/** Collects units. */
class UnitList implements UnitSink {
  readonly units: AccessUnit[] = []
  #tracks = 0

  addTrack(init: TrackInit): Track {
    return { ...init, id: this.#tracks++ }
  }

  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind {
    return { ...track, config }
  }

  removeTrack(): void {}

  write(unit: AccessUnit): void {
    this.units.push(unit)
  }

  lost(): void {}
}

/** A decoded picture. */
export type SeenPicture = { readonly width: number; readonly height: number; readonly rgb: Buffer }

/** Decodes a JPEG by ffmpeg. */
export function seen(jpeg: Uint8Array): SeenPicture {
  return seenAll([jpeg])[0]!
}

/** Decodes JPEGs of one size by one ffmpeg, which takes longer to start than to decode. */
export function seenAll(jpegs: readonly Uint8Array[]): SeenPicture[] {
  const decode = ['-v', 'error', '-f', 'mjpeg', '-i', 'pipe:0', '-fps_mode', 'passthrough']
  const args = [...decode, '-f', 'image2pipe', '-c:v', 'ppm', 'pipe:1']
  const ppms = execFileSync(FFMPEG, args, { input: Buffer.concat(jpegs), maxBuffer: MAX_BYTES })
  const [head = '', width, height] = /^P6\n(\d+) (\d+)\n255\n/u.exec(ppms.toString('latin1', 0, 40)) ?? []
  const pictureBytes = head.length + Number(width) * Number(height) * 3
  if (ppms.length !== pictureBytes * jpegs.length) throw new Error(`not ${jpegs.length} pictures of one size`)
  return jpegs.map((_jpeg, index) => ({
    width: Number(width),
    height: Number(height),
    rgb: ppms.subarray(index * pictureBytes + head.length, (index + 1) * pictureBytes),
  }))
}

const RGB: Readonly<Record<Color, readonly [number, number, number]>> = {
  red: [255, 0, 0],
  lime: [0, 255, 0],
  blue: [0, 0, 255],
  yellow: [255, 255, 0],
  white: [255, 255, 255],
  black: [0, 0, 0],
}

/** The color of a JPEG of one color, as one of those of the test picture. */
export function colorOf(jpeg: Uint8Array): Color {
  return colorOfPixels(seen(jpeg).rgb)
}

/** The color of pixels of one color, as one of those of the test picture. */
export function colorOfPixels(rgb: Uint8Array): Color {
  const mean = [0, 1, 2].map((part) => meanOf(rgb, part))
  const distance = (color: Color) => RGB[color].reduce((sum, value, part) => sum + Math.abs(value - mean[part]!), 0)
  const nearest = COLORS.toSorted((one, other) => distance(one) - distance(other))[0]!
  if (distance(nearest) > 40) throw new Error(`no color of the test picture: ${mean.join()}`)
  return nearest
}

function meanOf(rgb: Uint8Array, part: number): number {
  let sum = 0
  for (let at = part; at < rgb.length; at += 3) sum += rgb[at]!
  return sum / (rgb.length / 3)
}

/** The bounds of the difference between two pictures of one size, in pixels from the upper left corner; undefined without any. */
export function difference(one: SeenPicture, other: SeenPicture) {
  const [columns, rows] = [new Set<number>(), new Set<number>()]
  for (let at = 0; at < one.rgb.length; at++) {
    if (Math.abs(one.rgb[at]! - other.rgb[at]!) < 60) continue
    const pixel = Math.floor(at / 3)
    columns.add(pixel % one.width)
    rows.add(Math.floor(pixel / one.width))
  }
  if (columns.size === 0) return undefined
  return {
    left: Math.min(...columns),
    right: Math.max(...columns),
    top: Math.min(...rows),
    bottom: Math.max(...rows),
  }
}
