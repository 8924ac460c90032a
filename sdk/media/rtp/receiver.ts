import { AccessUnit } from '../access-unit.ts'
import { H264DtsExtractor } from '../codec/h264/dts-extractor.ts'
import { H265DtsExtractor } from '../codec/h265/dts-extractor.ts'
import { MalformedError } from '../errors.ts'
import type { AudioCodec, AudioConfig, Track, TrackInit, VideoCodec, VideoConfig } from '../track.ts'
import { CounterUnwrapper } from '../time/counter-unwrapper.ts'
import type { UnitSink } from '../unit-sink.ts'
import type { RtpDepacketizer, RtpFrame } from './depacketizer.ts'
import { createRtpDepacketizer } from './payload-formats.ts'
import type { RtpFormat } from './format.ts'
import { parseRtpPacket, type RtpPacket } from './packet.ts'
import { RtpReceptionStatistics } from './reception-statistics.ts'
import { RtpReorderBuffer, type RtpReorderLimits } from './reorder-buffer.ts'
import type { SenderReport } from './rtcp/sender-report.ts'
import type { RtpClock, RtpTrackClock } from './rtp-clock.ts'

/** What is received, and where it goes. */
export type RtpReceiverInit = {
  readonly format: RtpFormat
  /** Takes the track, and its units. */
  readonly sink: UnitSink
  /** That of the source, for all its tracks. */
  readonly clock: RtpClock
  /** How far packets are put in order. */
  readonly reorder: RtpReorderLimits
}

const VIDEO_CODECS: ReadonlySet<string> = new Set<VideoCodec>(['h264', 'h265', 'av1', 'vp9', 'vp8', 'mjpeg'])

/** Finds decoding times where the codec shows pictures in another order than it has them decoded. */
type DtsExtractor = H264DtsExtractor | H265DtsExtractor

/**
 * Turns the packets of one RTP stream into a track and its units: in order, with times on the source's common clock and
 * decoding times. What is lost is told to the sink, what is broken is left out and counted.
 */
export class RtpReceiver {
  readonly statistics: RtpReceptionStatistics
  readonly #init: RtpReceiverInit
  readonly #depacketizer: RtpDepacketizer
  readonly #clock: RtpTrackClock
  readonly #reorder: RtpReorderBuffer
  #track: Track | undefined
  #extractor: DtsExtractor | undefined
  /** For the extractor, which has to see no corrections. */
  readonly #unwrapper = new CounterUnwrapper(32)
  /** The source's name, as its packets have it. */
  #ssrc: number | undefined
  #nowMs = 0
  #brokenPackets = 0
  #losses = 0

  /** @throws {MalformedError} when the format is not supported; see `rtpFormatProblem` */
  constructor(init: RtpReceiverInit) {
    this.#init = init
    const { clockRate } = init.format
    this.#depacketizer = createRtpDepacketizer(init.format)
    this.#clock = init.clock.track(clockRate, VIDEO_CODECS.has(this.#depacketizer.codec))
    this.statistics = new RtpReceptionStatistics(clockRate)
    this.#reorder = new RtpReorderBuffer(init.reorder, (packet, follows) => this.#take(packet, follows))
    const { config } = this.#depacketizer
    if (config !== undefined) this.#declare(config)
  }

  /** The track, once its configuration is known. */
  get track(): Track | undefined {
    return this.#track
  }

  get ssrc(): number | undefined {
    return this.#ssrc
  }

  /** How many times units were lost, or broken. */
  get losses(): number {
    return this.#losses
  }

  /** Packets whose bytes, payload or payload type make no sense. */
  get brokenPackets(): number {
    return this.#brokenPackets
  }

  /** Takes a packet, whose bytes are kept. `nowMs` is a monotonic clock. */
  push(bytes: Buffer, nowMs: number): void {
    this.#nowMs = nowMs
    const packet = this.#parse(bytes)
    if (packet === undefined) return
    this.statistics.receive(packet, nowMs)
    this.#reorder.push(packet, nowMs)
  }

  /** Lets go on without packets that have not come in time. Called now and then, where packets are put in order. */
  tick(nowMs: number): void {
    this.#nowMs = nowMs
    this.#reorder.tick(nowMs)
  }

  /** Takes a sender report, which says what the wall clock is at a time of the packets. */
  report(report: SenderReport, nowMs: number): void {
    this.statistics.receiveSenderReport(report, nowMs)
    this.#clock.report(report.ntpMs, report.rtpTimestamp)
  }

  #parse(bytes: Buffer): RtpPacket | undefined {
    try {
      const packet = parseRtpPacket(bytes)
      if (packet.payloadType === this.#init.format.payloadType) return packet
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
    }
    this.#brokenPackets += 1
    return undefined
  }

  #take(packet: RtpPacket, follows: boolean): void {
    const isFirst = this.#ssrc === undefined
    this.#ssrc = packet.ssrc
    if (!follows && !isFirst) this.#lost()
    try {
      for (const frame of this.#depacketizer.push(packet, follows)) this.#write(frame)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#brokenPackets += 1
      this.#lost()
    }
  }

  /** A unit at least is missing, or broken. */
  #lost(): void {
    this.#losses += 1
    if (this.#track !== undefined) this.#init.sink.lost(this.#track, 1)
  }

  #write(frame: RtpFrame): void {
    if (frame.config !== undefined) this.#declare(frame.config)
    const track = this.#track
    // Nobody can decode it yet.
    if (track === undefined) return
    const { sink } = this.#init
    const { timestamp, keyframe } = frame
    const ntpMs = this.#clock.ntpMsAt(timestamp)
    if ('nalus' in frame) {
      const lead = this.#leadOf(frame.nalus, timestamp)
      const pts = this.#clock.place(timestamp, this.#nowMs, lead)
      sink.write(AccessUnit.fromNalus(track, pts - lead, pts, keyframe, frame.nalus, ntpMs))
    } else {
      const pts = this.#clock.place(timestamp, this.#nowMs)
      sink.write(AccessUnit.fromData(track, pts, pts, keyframe, frame.data, ntpMs))
    }
  }

  /** By how much a picture is decoded before it is shown. */
  #leadOf(nalus: readonly Buffer[], timestamp: number): number {
    if (this.#extractor === undefined) return 0
    const time = this.#unwrapper.unwrap(timestamp)
    return time - this.#extractor.push(nalus, time)
  }

  #declare(config: VideoConfig | AudioConfig): void {
    const { sink, format } = this.#init
    const { codec } = this.#depacketizer
    // Only its frames show of which layer MPEG audio is.
    if (this.#track !== undefined && this.#track.codec !== codec) {
      sink.removeTrack(this.#track)
      this.#track = undefined
    }
    this.#track =
      this.#track === undefined
        ? sink.addTrack(trackInit(codec, format.clockRate, config))
        : sink.configureTrack(this.#track, config)
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
