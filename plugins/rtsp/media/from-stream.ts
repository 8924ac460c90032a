import { randomBytes } from 'node:crypto'
import type { AccessUnit, Muxer, MuxerFormat, MuxerStart, Track } from 'sluice/sdk'
import {
  canCarryInRtp,
  createRtpPacketizer,
  randomRtpStart,
  rescale,
  RtpSender,
  serializeRtpGoodbye,
  serializeRtpReport,
  type RtpPacketizer,
  WallClock,
} from 'sluice/sdk/media'
import { InterleavedFraming, serializeInterleaved } from './interleaved-framing.ts'
import { isSameMedia, offeredMedia, type OfferedMedia } from './offer.ts'

/** The longest time for which output is gathered when there are many players, which buffer 200 ms and more. */
const MAX_MERGE_MS = 100
/** Packets fit into a datagram of a common Ethernet, over IPv6 and with some room for tunnels. */
const MAX_PAYLOAD_BYTES = 1400
/** Reports go before each keyframe, and otherwise this often. */
const REPORT_INTERVAL_MS = 5000
const CNAME = 'sluice'
/** The most formats that are kept, far more than clients have reason to differ in. */
const MAX_FORMATS = 256

/** A track that a player has set up: its packets go out on `channel`, its reports on the next. */
export type PlayedMedia = OfferedMedia & { readonly channel: number }

/** The same with its SSRC, which all streams share that go out in the same format. */
type SentMedia = PlayedMedia & { readonly ssrc: number }

/** The RTP sender of a media; it outlives the tracks of single publishers. */
type MediaSender = { readonly media: SentMedia; readonly sender: RtpSender; readonly framing: InterleavedFraming }

/** A track with the sender of its media; the packetizer cuts the track's units into packets. */
type Carried = { readonly mediaSender: MediaSender; readonly packetizer: RtpPacketizer }

/**
 * A stream as RTP and RTCP packets in interleaved frames (RFC 2326 10.12): the same bytes for every player, as numbers,
 * SSRC and times are. Over UDP, their sinks take the frames apart.
 *
 * Reports of all tracks stand before each keyframe, as some players put tracks in step by the first that they get; and that
 * of each track behind its first packets after it, as others take none before there is media.
 */
class RtspMuxer implements Muxer {
  readonly #senders: readonly MediaSender[]
  #carried = new Map<Track, Carried>()
  #hasVideo = false
  #lastReportMs = -Infinity
  readonly #wallClock: WallClock
  /** The senders that repeat their report after their next packets. */
  readonly #repeated = new Set<MediaSender>()

  constructor(medias: readonly SentMedia[], former: RtspMuxer | undefined) {
    this.#wallClock = former === undefined ? new WallClock() : former.#wallClock.fork()
    this.#senders =
      former === undefined
        ? medias.map(createMediaSender)
        : former.#senders.map(({ sender, ...others }) => ({ ...others, sender: sender.fork() }))
  }

  /** True when the next packet continues the numbers of the other muxer's packets. */
  follows(former: Muxer): boolean {
    const isNext = ({ sender }: MediaSender, index: number) =>
      former instanceof RtspMuxer && former.#senders[index]?.sender.sequenceNumber === sender.sequenceNumber
    return this.#senders.every(isNext)
  }

  start({ tracks }: MuxerStart): Buffer {
    const carried = new Map<Track, Carried>()
    for (const track of tracks) {
      const mediaSender = this.#senderFor(track)
      if (mediaSender !== undefined) {
        carried.set(
          track,
          this.#carried.get(track) ?? { mediaSender, packetizer: createRtpPacketizer(track, MAX_PAYLOAD_BYTES) },
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
    const { sender, framing } = carried.mediaSender
    const { pts, track } = unit
    const bytes = sender.serialize(payloads, sender.timestampOf(pts, track.timescale), framing)
    const timeMs = rescale(pts, track.timescale, 1000)
    const isDue = this.#isReportDue(unit, timeMs)
    if (!isDue && !this.#repeated.has(carried.mediaSender)) return bytes
    const before = isDue ? this.#reports(unit, timeMs) : []
    const after = this.#repeated.delete(carried.mediaSender) ? [this.#report(carried.mediaSender, timeMs)] : []
    return Buffer.concat([...before, bytes, ...after])
  }

  /**
   * Finds the sender for a track.
   * @throws {Error} when players have set up its media in another format, of which they can't be notified
   */
  #senderFor(track: Track): MediaSender | undefined {
    const offered = offeredMedia(track, 0)
    if (offered === undefined) return undefined
    const mediaSender = this.#senders.find(({ media }) => isSameMedia(media, offered))
    if (mediaSender !== undefined) return mediaSender
    const replaced = this.#senders.find(({ media }) => isPlaceOf(media, track))
    if (replaced === undefined) return undefined
    throw new Error(
      `players were told of ${replaced.media.codec} and can't be sent ${track.codec}, or not as it is configured now`,
    )
  }

  #isReportDue({ track, keyframe }: AccessUnit, timeMs: number): boolean {
    if (timeMs - this.#lastReportMs >= REPORT_INTERVAL_MS || timeMs < this.#lastReportMs) return true
    return this.#hasVideo && track.kind === 'video' && keyframe
  }

  /** Reports of all tracks for one time, by which players put them in step (RFC 3550 6.4.1). */
  #reports(unit: AccessUnit, timeMs: number): Buffer[] {
    this.#wallClock.follow(unit, timeMs, Date.now())
    this.#lastReportMs = timeMs
    return this.#senders.map((mediaSender) => {
      this.#repeated.add(mediaSender)
      return this.#report(mediaSender, timeMs)
    })
  }

  /** @param timeMs not before that of the first packet, or GStreamer takes no note */
  #report({ media, sender }: MediaSender, timeMs: number): Buffer {
    const report = sender.report(this.#wallClock.at(timeMs), sender.timestampOf(timeMs, 1000))
    return serializeInterleaved(media.channel + 1, serializeRtpReport(report, CNAME))
  }
}

function createMediaSender(media: SentMedia): MediaSender {
  const { channel, format, ssrc } = media
  const sender = new RtpSender({ ...randomRtpStart(randomBytes(10)), format, ssrc })
  return { media, sender, framing: new InterleavedFraming(channel) }
}

/** The bytes for all players that have set up the same medias. */
export type RtspFormat = {
  readonly muxing: MuxerFormat
  /** The RTCP BYE of all medias, as interleaved frames (RFC 3550 6.6). */
  readonly goodbye: Buffer
}

/** The formats by the medias that players have set up, so that players with equal medias share a muxer. */
export class RtspFormats {
  readonly #formats = new Map<string, RtspFormat>()

  get(medias: readonly PlayedMedia[]): RtspFormat {
    const key = JSON.stringify(medias.map(identityOf))
    const known = this.#formats.get(key)
    if (known !== undefined) return known
    // Clients choose channel numbers: those with unusual ones may have to do without sharing.
    const [oldest] = this.#formats.keys()
    if (this.#formats.size === MAX_FORMATS && oldest !== undefined) this.#formats.delete(oldest)
    const format = createFormat(medias.map((media) => ({ ...media, ssrc: randomBytes(4).readUInt32BE() })))
    this.#formats.set(key, format)
    return format
  }
}

function createFormat(medias: readonly SentMedia[]): RtspFormat {
  const muxing: MuxerFormat = {
    name: 'rtsp',
    // A player that has set up sound alone does not begin with a picture.
    carries: (track) => canCarryInRtp(track) && medias.some((media) => isPlaceOf(media, track)),
    maxMergeMs: MAX_MERGE_MS,
    createMuxer: (former) => new RtspMuxer(medias, former instanceof RtspMuxer ? former : undefined),
  }
  const goodbyes = medias.map(({ channel, ssrc }) => serializeInterleaved(channel + 1, serializeRtpGoodbye(ssrc)))
  return { muxing, goodbye: Buffer.concat(goodbyes) }
}

/** True when the track has the kind and layer of the media; the codec may differ. */
function isPlaceOf(media: OfferedMedia, track: Track): boolean {
  return media.kind === track.kind && media.layer === track.layer
}

function identityOf({ codec, layer, fixedConfig, channel, format }: PlayedMedia): unknown[] {
  const { payloadType, encodingName, clockRate, channels } = format
  return [codec, layer, fixedConfig, channel, payloadType, encodingName, clockRate, channels]
}
