import { randomBytes } from 'node:crypto'
import type { AccessUnit, Muxer, MuxerFormat, MuxerStart, Track } from 'sluice/sdk'
import {
  canCarryInRtp,
  createRtpPacketizer,
  rescale,
  RtpSender,
  SDES_ITEM_TYPE,
  serializeRtcp,
  type RtpPacketizer,
} from 'sluice/sdk/media'
import { InterleavedFraming, serializeInterleaved } from './interleaved-framing.ts'
import { isSameMedia, offeredMedia, type OfferedMedia } from './offer.ts'

/** The longest that output is gathered: players of RTSP keep some 200 ms, and cameras are steered by what they show. */
const MAX_MERGE_MS = 20
/** Packets fit into a datagram of a common Ethernet, over IPv6 and with some room for tunnels. */
const MAX_PAYLOAD_BYTES = 1400
/** Reports go before each keyframe, and otherwise this often. */
const REPORT_INTERVAL_MS = 5000
/** The wall clock is looked at anew once the stream is off by this. */
const MAX_CLOCK_ERROR_MS = 1000
const CNAME = 'sluice'

/** A track that a player has set up: its packets go out on `channel`, its reports on the next. */
export type PlayedMedia = OfferedMedia & { readonly channel: number }

/** What a muxer has for a media; it outlives the tracks that publishers give it. */
type Outlet = { readonly media: PlayedMedia; readonly sender: RtpSender }

/** Cuts the units of a track into packets of an outlet. */
type Carried = { readonly outlet: Outlet; readonly packetizer: RtpPacketizer }

/**
 * A stream as RTP and RTCP packets in interleaved frames (RFC 2326 10.12): the same bytes for every player, as numbers,
 * SSRC and times are. Over UDP, their sinks take the frames apart.
 */
class RtspMuxer implements Muxer {
  readonly #outlets: readonly Outlet[]
  #carried = new Map<Track, Carried>()
  #hasVideo = false
  #lastReportMs = -Infinity
  /** What is added to the stream's time to get the wall clock. */
  #clockOffsetMs: number | undefined

  constructor(medias: readonly PlayedMedia[], former: RtspMuxer | undefined) {
    this.#outlets =
      former !== undefined ? former.#outlets : medias.map((media) => ({ media, sender: createSender(media) }))
  }

  start({ tracks }: MuxerStart): Buffer {
    const carried = new Map<Track, Carried>()
    for (const track of tracks) {
      const outlet = this.#outletFor(track)
      if (outlet !== undefined) {
        carried.set(
          track,
          this.#carried.get(track) ?? { outlet, packetizer: createRtpPacketizer(track, MAX_PAYLOAD_BYTES) },
        )
      }
    }
    this.#carried = carried
    this.#hasVideo = [...carried.keys()].some(({ kind }) => kind === 'video')
    return Buffer.alloc(0)
  }

  configure(): null {
    return null
  }

  mux(unit: AccessUnit): Buffer | null {
    const carried = this.#carried.get(unit.track)
    if (carried === undefined) return null
    const payloads = carried.packetizer.packetize(unit)
    if (payloads.length === 0) return null
    const { sender } = carried.outlet
    const { pts, track } = unit
    const bytes = sender.serialize(payloads, sender.timestampOf(pts, track.timescale))
    const timeMs = rescale(unit.dts, track.timescale, 1000)
    return this.#isReportDue(unit, timeMs) ? Buffer.concat([...this.#reports(unit, timeMs), bytes]) : bytes
  }

  /**
   * The place of a track among those that the players have set up.
   * @throws {Error} when they have set up its like, and can't be told that it is another now
   */
  #outletFor(track: Track): Outlet | undefined {
    const offered = offeredMedia(track, 0)
    if (offered === undefined) return undefined
    const outlet = this.#outlets.find(({ media }) => isSameMedia(media, offered))
    if (outlet !== undefined) return outlet
    const replaced = this.#outlets.find(({ media }) => media.kind === track.kind && media.layer === track.layer)
    if (replaced === undefined) return undefined
    throw new Error(
      `players were told of ${replaced.media.codec} and can't be sent ${track.codec}, or not as it is configured now`,
    )
  }

  #isReportDue({ track, keyframe }: AccessUnit, timeMs: number): boolean {
    if (timeMs - this.#lastReportMs >= REPORT_INTERVAL_MS || timeMs < this.#lastReportMs) return true
    return this.#hasVideo && track.kind === 'video' && keyframe
  }

  /** Sender reports of all tracks for one time, by which players put them in step (RFC 3550 6.4.1). */
  #reports({ ntpMs, pts, track }: AccessUnit, timeMs: number): Buffer[] {
    this.#lastReportMs = timeMs
    const wallMs = ntpMs === undefined ? Date.now() - timeMs : ntpMs - rescale(pts, track.timescale, 1000)
    const errorMs = Math.abs(wallMs - (this.#clockOffsetMs ?? Infinity))
    if (ntpMs !== undefined || errorMs > MAX_CLOCK_ERROR_MS) this.#clockOffsetMs = wallMs
    const nowMs = timeMs + (this.#clockOffsetMs ?? wallMs)
    return this.#outlets.map(({ media, sender }) =>
      serializeInterleaved(
        media.channel + 1,
        serializeRtcp([
          sender.report(nowMs, timeMs),
          {
            kind: 'sourceDescription',
            chunks: [{ ssrc: sender.ssrc, items: [{ type: SDES_ITEM_TYPE.cname, text: CNAME }] }],
          },
        ]),
      ),
    )
  }
}

function createSender({ format, channel }: PlayedMedia): RtpSender {
  const random = randomBytes(10)
  return new RtpSender({
    format,
    ssrc: random.readUInt32BE(0),
    sequenceNumber: random.readUInt16BE(4),
    timestampOffset: random.readUInt32BE(6),
    framing: new InterleavedFraming(channel),
  })
}

/** Formats by what players have set up, so that those who can share a muxer do. */
export class RtspFormats {
  readonly #formats = new Map<string, MuxerFormat>()

  get(medias: readonly PlayedMedia[]): MuxerFormat {
    const key = JSON.stringify(
      medias.map(({ codec, layer, fixedConfig, channel, format: { payloadType, clockRate, channels } }) => [
        codec,
        layer,
        fixedConfig,
        channel,
        payloadType,
        clockRate,
        channels,
      ]),
    )
    const known = this.#formats.get(key)
    if (known !== undefined) return known
    const format: MuxerFormat = {
      name: 'rtsp',
      carries: canCarryInRtp,
      maxMergeMs: MAX_MERGE_MS,
      createMuxer: (former) => new RtspMuxer(medias, former instanceof RtspMuxer ? former : undefined),
    }
    this.#formats.set(key, format)
    return format
  }
}
