import { AccessUnit } from '../access-unit.ts'
import { H264DtsExtractor } from '../codec/h264/dts-extractor.ts'
import { H265DtsExtractor } from '../codec/h265/dts-extractor.ts'
import { CounterUnwrapper } from '../time/counter-unwrapper.ts'
import type { AudioCodec, AudioConfig, Track, TrackInit, VideoCodec, VideoConfig } from '../track.ts'
import type { UnitSink } from '../unit-sink.ts'
import type { RtpDepacketizer, RtpFrame } from './depacketizer.ts'
import type { RtpPacket } from './packet.ts'
import type { RtpPayloadReader } from './payload-reader.ts'
import type { SenderReport } from './rtcp/sender-report.ts'
import type { RtpClock, RtpTrackClock } from './rtp-clock.ts'

const VIDEO_CODECS: ReadonlySet<string> = new Set<VideoCodec>(['h264', 'h265', 'av1', 'vp9', 'vp8', 'mjpeg'])

/** Finds decoding times where the codec shows pictures in another order than it has them decoded. */
type DtsExtractor = H264DtsExtractor | H265DtsExtractor

export type FrameReaderInit = {
  readonly depacketizer: RtpDepacketizer
  /** Ticks a second of the RTP times. */
  readonly clockRate: number
  readonly clock: RtpClock
  readonly sink: UnitSink
}

/** Makes a track and its units of frames, with times on the source's common clock and decoding times. */
export class RtpFrameReader implements RtpPayloadReader {
  readonly #depacketizer: RtpDepacketizer
  readonly #clockRate: number
  readonly #clock: RtpTrackClock
  readonly #sink: UnitSink
  #track: Track | undefined
  #extractor: DtsExtractor | undefined
  /** Unwraps times for the extractor, which must not see corrections. */
  readonly #unwrapper = new CounterUnwrapper(32)

  constructor({ depacketizer, clockRate, clock, sink }: FrameReaderInit) {
    this.#depacketizer = depacketizer
    this.#clockRate = clockRate
    this.#clock = clock.track(clockRate, VIDEO_CODECS.has(depacketizer.codec))
    this.#sink = sink
    if (depacketizer.config !== undefined) this.#declare(depacketizer.config)
  }

  get track(): Track | undefined {
    return this.#track
  }

  take(packet: RtpPacket, follows: boolean, nowMs: number): void {
    for (const frame of this.#depacketizer.push(packet, follows)) this.#write(frame, nowMs)
  }

  lost(): void {
    if (this.#track !== undefined) this.#sink.lost(this.#track, 1)
  }

  report({ ntpMs, rtpTimestamp }: SenderReport): void {
    this.#clock.report(ntpMs, rtpTimestamp)
  }

  #write(frame: RtpFrame, nowMs: number): void {
    if (frame.config !== undefined) this.#declare(frame.config)
    const track = this.#track
    // A frame before the configuration can't be decoded.
    if (track === undefined) return
    const { timestamp, keyframe } = frame
    const ntpMs = this.#clock.ntpMsAt(timestamp)
    if ('nalus' in frame) {
      const aheadTicks = this.#aheadTicksOf(frame.nalus, timestamp)
      const pts = this.#clock.place(timestamp, nowMs, aheadTicks)
      this.#hand(AccessUnit.fromNalus(track, pts - aheadTicks, pts, keyframe, frame.nalus, ntpMs))
    } else {
      const pts = this.#clock.place(timestamp, nowMs)
      this.#hand(AccessUnit.fromData(track, pts, pts, keyframe, frame.data, ntpMs))
    }
  }

  #hand(unit: AccessUnit): void {
    unit.correctedMs = this.#clock.correctedMs
    this.#sink.write(unit)
  }

  /** Returns the ticks by which a picture is decoded before it is shown. */
  #aheadTicksOf(nalus: readonly Buffer[], timestamp: number): number {
    if (this.#extractor === undefined) return 0
    const time = this.#unwrapper.unwrap(timestamp)
    return time - this.#extractor.push(nalus, time)
  }

  #declare(config: VideoConfig | AudioConfig): void {
    const { codec } = this.#depacketizer
    // Only its frames show of which layer MPEG audio is.
    if (this.#track !== undefined && this.#track.codec !== codec) {
      this.#sink.removeTrack(this.#track)
      this.#track = undefined
    }
    this.#track =
      this.#track === undefined
        ? this.#sink.addTrack(trackInit(codec, this.#clockRate, config))
        : this.#sink.configureTrack(this.#track, config)
    this.#followPictureOrder(this.#track)
  }

  #followPictureOrder(track: Track): void {
    if (track.kind !== 'video') return
    if (this.#extractor !== undefined) this.#extractor.configure(track)
    else if (track.codec === 'h264') this.#extractor = new H264DtsExtractor(track)
    else if (track.codec === 'h265') this.#extractor = new H265DtsExtractor(track)
  }
}

function trackInit(codec: VideoCodec | AudioCodec, timescale: number, config: VideoConfig | AudioConfig): TrackInit {
  if ('sampleRate' in config) return { kind: 'audio', codec: codec as AudioCodec, timescale, config }
  return { kind: 'video', codec: codec as VideoCodec, timescale, config }
}
