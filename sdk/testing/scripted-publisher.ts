import { AccessUnit } from '../media/access-unit.ts'
import { aacConfig } from '../media/codec/aac/config.ts'
import { h264ConfigFromParameterSets } from '../media/codec/h264/config.ts'
import type { AudioTrack, Track, TrackInit, VideoTrack } from '../media/track.ts'
import type { UnitSink } from '../media/unit-sink.ts'

/** The units that a {@link ScriptedPublisher} writes. */
export type PublisherScript = {
  /** Frames a second, whole or as a fraction (`[24000, 1001]`); default 25. */
  readonly fps?: number | readonly [number, number]
  /** Frames from keyframe to keyframe; default 25. */
  readonly gopFrames?: number
  /** B-frames between two others; default 0. */
  readonly bFrames?: number
  /** Bytes of each unit's NAL unit or frame; default 200. */
  readonly unitBytes?: number
  /** The tracks to write; default both. */
  readonly video?: boolean
  readonly audio?: boolean
}

const VIDEO_TIMESCALE = 90_000
const AUDIO_TIMESCALE = 44_100
const AAC_FRAME_SAMPLES = 1024
// High profile, level 1.3, 320x240, made by x264.
const SPS = Buffer.from('6764000dacd94141fb011000000300100000030320f1429960', 'hex')
const PPS = Buffer.from('68ebe3cb22c0', 'hex')
// AAC LC, 44100 Hz, stereo.
const AUDIO_SPECIFIC_CONFIG = Buffer.from([0x12, 0x10])
const NALU_HEADER = { idr: 0x65, reference: 0x41, disposable: 0x01 }

/** The declaration of the scripted H.264 track: 320x240, 90 kHz. */
export const SCRIPTED_VIDEO: TrackInit = {
  kind: 'video',
  codec: 'h264',
  timescale: VIDEO_TIMESCALE,
  config: h264ConfigFromParameterSets(SPS, PPS),
}

/** The declaration of the scripted AAC track: 44100 Hz, stereo. */
export const SCRIPTED_AUDIO: TrackInit = {
  kind: 'audio',
  codec: 'aac',
  timescale: AUDIO_TIMESCALE,
  config: aacConfig(AUDIO_SPECIFIC_CONFIG),
}

/**
 * Writes units that look like H.264 and AAC into a publisher or any other sink, the same ones each time. Track configuration,
 * NAL unit types and times are real; the payload can't be decoded, but identifies the unit.
 */
export class ScriptedPublisher {
  /** All units written, in order. Their times are those of the script, even where the sink changes its units. */
  readonly units: {
    readonly track: Track
    readonly dts: number
    readonly pts: number
    readonly keyframe: boolean
    readonly data: Buffer
  }[] = []
  /** The tracks that it writes units of; to be set to what the sink's `configureTrack` returns. */
  videoTrack: VideoTrack | undefined
  audioTrack: AudioTrack | undefined
  readonly #sink: UnitSink
  readonly #ticksPerFrame: number
  readonly #gopFrames: number
  readonly #bFrames: number
  readonly #unitBytes: number
  #videoIndex = 0
  #audioIndex = 0

  /** Declares the tracks. */
  constructor(sink: UnitSink, script: PublisherScript = {}) {
    const [frames, seconds] = typeof script.fps === 'object' ? script.fps : [script.fps ?? 25, 1]
    this.#sink = sink
    this.#ticksPerFrame = (VIDEO_TIMESCALE * seconds) / frames
    this.#gopFrames = script.gopFrames ?? 25
    this.#bFrames = script.bFrames ?? 0
    this.#unitBytes = script.unitBytes ?? 200
    if (script.video !== false) this.videoTrack = sink.addTrack(SCRIPTED_VIDEO) as VideoTrack
    if (script.audio !== false) this.audioTrack = sink.addTrack(SCRIPTED_AUDIO) as AudioTrack
  }

  /** Writes the next units of all tracks, in the order of their decoding times. */
  write(count: number): void {
    for (let written = 0; written < count; written++) this.#writeNext()
  }

  /** Writes until this many frames of video have been written since the start, with the audio that belongs to them. */
  writeFrames(count: number): void {
    if (this.videoTrack === undefined) throw new Error('the script has no video')
    while (this.#videoIndex < count) this.#writeNext()
  }

  #writeNext(): void {
    const videoSeconds = (this.#videoIndex * this.#ticksPerFrame) / VIDEO_TIMESCALE
    const audioSeconds = (this.#audioIndex * AAC_FRAME_SAMPLES) / AUDIO_TIMESCALE
    const { videoTrack, audioTrack } = this
    if (videoTrack !== undefined && (audioTrack === undefined || videoSeconds <= audioSeconds)) {
      this.#writeVideo(videoTrack, this.#videoIndex++)
    } else if (audioTrack !== undefined) {
      this.#writeAudio(audioTrack, this.#audioIndex++)
    }
  }

  #writeVideo(track: VideoTrack, index: number): void {
    const position = index % this.#gopFrames
    const display = index - position + this.#displayPosition(position)
    // One frame of delay makes room for frames that are shown before those they are decoded after.
    const pts = Math.round((display + (this.#bFrames > 0 ? 1 : 0)) * this.#ticksPerFrame)
    const dts = Math.round(index * this.#ticksPerFrame)
    const nalu = this.#payload(`video ${index} `)
    nalu[0] = this.#naluHeader(position)
    this.#record(AccessUnit.fromNalus(track, dts, pts, position === 0, [nalu]))
  }

  #writeAudio(track: AudioTrack, index: number): void {
    const dts = index * AAC_FRAME_SAMPLES
    this.#record(AccessUnit.fromData(track, dts, dts, true, this.#payload(`audio ${index} `)))
  }

  // Coded I P b b P b b, shown I b b P b b P; a group that ends early has fewer B-frames in its last run.
  #displayPosition(position: number): number {
    if (position === 0 || this.#bFrames === 0) return position
    const runLength = this.#bFrames + 1
    const inRun = (position - 1) % runLength
    const runStart = position - inRun
    const lastOfRun = Math.min(runStart + this.#bFrames, this.#gopFrames - 1)
    return inRun === 0 ? lastOfRun : position - 1
  }

  #naluHeader(position: number): number {
    if (position === 0) return NALU_HEADER.idr
    return (position - 1) % (this.#bFrames + 1) === 0 ? NALU_HEADER.reference : NALU_HEADER.disposable
  }

  // Text holds no start code.
  #payload(text: string): Buffer {
    return Buffer.alloc(this.#unitBytes, ` ${text}`)
  }

  #record(unit: AccessUnit): void {
    const { track, dts, pts, keyframe, data } = unit
    this.units.push({ track, dts, pts, keyframe, data })
    this.#sink.write(unit)
  }
}
