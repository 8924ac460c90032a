import { createHash } from 'node:crypto'
import path from 'node:path'
import type { AccessUnit, FlvTag, Track } from 'sluice/sdk/media'
import { enhancedTags } from '../enhanced-source.ts'
import type { EnhancedCodec } from '../enhanced-tags.ts'
import { makeMediaFile, readMediaFile, type MediaStream } from '../media-file.ts'
import { slicesOf, splitAtLengths } from '../rtsp/coded-picture.ts'

const SECONDS = 2
const AAC = ['-c:a', 'aac']
/** Few bytes, as many viewers are to look at each of them. */
const COARSE = ['-crf', '40']
const LATER = ['-flags', '+bitexact', '-fflags', '+bitexact', '-use_editlist', '0']

type SourceInit = {
  readonly pictures: string
  readonly tone: string
  readonly video: 'avc1' | 'hvc1'
  readonly encoder: readonly string[]
  readonly channels: number
}

/** What a show is switched between, by names: other codecs, sizes, frame rates, and sound. A keyframe every fifth of a second. */
export const SHOW_SOURCES = {
  small: {
    pictures: 'testsrc2=rate=25:size=320x240',
    tone: 'sine=frequency=440:sample_rate=44100',
    video: 'avc1',
    encoder: ['-c:v', 'libx264', '-preset', 'ultrafast', '-sc_threshold', '0', '-g', '5', '-bf', '2', '-threads', '1'],
    channels: 2,
  },
  wide: {
    pictures: 'testsrc2=rate=30:size=640x360',
    tone: 'sine=frequency=660:sample_rate=48000',
    video: 'hvc1',
    encoder: [
      '-c:v',
      'libx265',
      '-preset',
      'ultrafast',
      '-tag:v',
      'hvc1',
      '-x265-params',
      'log-level=none:bframes=2:keyint=6:min-keyint=6:scenecut=0:open-gop=0:pools=none',
    ],
    channels: 1,
  },
  /** For players that can't be told of another codec: pictures of another size and rate, the same kind of sound. */
  square: {
    pictures: 'testsrc2=rate=30:size=240x240',
    tone: 'sine=frequency=880:sample_rate=44100',
    video: 'avc1',
    encoder: ['-c:v', 'libx264', '-preset', 'veryfast', '-sc_threshold', '0', '-g', '6', '-bf', '3', '-threads', '1'],
    channels: 2,
  },
} as const satisfies Record<string, SourceInit>

export type ShowName = keyof typeof SHOW_SOURCES

/** A unit of a source: which, and the how manieth of its kind in a round. */
export type ShowPlace = { readonly source: ShowSource; readonly index: number; readonly keyframe: boolean }

/** A file of ffmpeg's in which each picture is known by its bytes. It is published round by round. */
export class ShowSource {
  readonly name: ShowName
  readonly file: string
  /** As an encoder sends them, by enhanced RTMP. */
  readonly tags: readonly FlvTag[]
  readonly loopMs = SECONDS * 1000
  readonly pictures: number
  readonly #streams: readonly MediaStream[]
  readonly #codec: 'h264' | 'h265'

  private constructor(name: ShowName, file: string, streams: readonly MediaStream[]) {
    const { video: codec } = SHOW_SOURCES[name]
    this.name = name
    this.file = file
    this.#streams = streams
    this.#codec = codec === 'avc1' ? 'h264' : 'h265'
    const [video, audio] = streams as [MediaStream, MediaStream]
    this.pictures = video.packets.length
    // Sound before the first keyframe reaches nobody, and what is left at the end would hold the next round up.
    const endMs = video.packets[0]!.dtsMs + this.loopMs
    const sound = audio.packets.filter(({ dtsMs }) => dtsMs >= 0 && dtsMs < endMs)
    this.tags = enhancedTags(
      streams.map((stream) => ({
        codec: (stream.kind === 'video' ? codec : 'mp4a') satisfies EnhancedCodec,
        record: stream.extradata,
        stream: {
          ...stream,
          packets: stream.kind === 'video' ? stream.packets : sound,
        },
      })),
    )
  }

  static async make(name: ShowName, folder: string): Promise<ShowSource> {
    const { pictures, tone, encoder, channels } = SHOW_SOURCES[name]
    const file = path.join(folder, `${name}.mp4`)
    await makeMediaFile(file, [
      '-f',
      'lavfi',
      '-i',
      pictures,
      '-f',
      'lavfi',
      '-i',
      tone,
      '-t',
      String(SECONDS),
      ...encoder,
      ...COARSE,
      '-pix_fmt',
      'yuv420p',
      ...AAC,
      '-ac',
      String(channels),
      ...LATER,
    ])
    return new ShowSource(name, file, await readMediaFile(file))
  }

  /** How a track of it must be set up for its units. */
  fits(track: Track): boolean {
    const { pictures, tone, channels } = SHOW_SOURCES[this.name]
    if (track.kind === 'audio') {
      const { sampleRate, channels: found } = track.config
      return track.codec === 'aac' && found === channels && tone.endsWith(`sample_rate=${sampleRate}`)
    }
    if (track.kind !== 'video') return false
    const { width, height } = track.config
    return track.codec === this.#codec && pictures.endsWith(`size=${width}x${height}`)
  }

  /** Its units by their bytes. */
  *places(): Generator<readonly [key: string, place: ShowPlace]> {
    for (const { kind, packets } of this.#streams) {
      for (const [index, { data, keyframe }] of packets.entries()) {
        const bytes = kind === 'video' ? slicesOf(splitAtLengths(data), this.#codec) : data
        yield [keyOf(kind, bytes), { source: this, index, keyframe: kind === 'video' && keyframe }]
      }
    }
  }
}

/** All units of some sources, to be found by their bytes. */
export class ShowUnits {
  readonly #places = new Map<string, ShowPlace[]>()

  constructor(sources: readonly ShowSource[]) {
    for (const [key, place] of sources.flatMap((source) => [...source.places()])) {
      this.#places.set(key, [...(this.#places.get(key) ?? []), place])
    }
  }

  /** Where a unit is from: of pictures the slices count, which come through every protocol as they are. */
  find(unit: AccessUnit): readonly ShowPlace[] {
    const { kind, codec } = unit.track
    const isPicture = codec === 'h264' || codec === 'h265'
    return this.#places.get(keyOf(kind, isPicture ? slicesOf(unit.nalus, codec) : unit.data)) ?? []
  }
}

function keyOf(kind: string, data: Buffer): string {
  return `${kind} ${createHash('md5').update(data).digest('base64')}`
}
