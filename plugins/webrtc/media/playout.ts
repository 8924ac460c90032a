import { randomBytes as systemRandomBytes } from 'node:crypto'
import type { AccessUnit, PluginContext, Subscriber, Track, UnitReader, VideoTrack } from 'sluice/sdk'
import { mainTracks, rescale, rtpFormatOfTrack } from 'sluice/sdk/media'
import type { NegotiatedMedia } from '../sdp/negotiated-media.ts'
import type { PeerTransport } from '../transport/peer-transport.ts'
import { Feedback } from './feedback.ts'
import { Outlet } from './outlet.ts'
import { Pictures } from './pictures.ts'
import { SenderReports } from './sender-reports.ts'
import { packetsOf } from './unit-packets.ts'

/** The tracks for which a warning about B-frames was logged. */
const toldOfBframes = new WeakSet<Track>()

export type PlayoutInit = {
  /** The medias that are sent; the first source of each has the SSRC of its packets. */
  readonly medias: readonly NegotiatedMedia[]
  readonly transport: Pick<PeerTransport, 'write' | 'flush' | 'sendRtcp'>
  readonly subscriber: Pick<Subscriber, 'read' | 'requestKeyframe' | 'account' | 'close'>
  readonly timers: Pick<PluginContext<unknown>, 'setTimeout'>
  /** A monotonic clock, in milliseconds since the Unix epoch. */
  readonly now: () => number
  /** Receives one warning about a stream's B-frames. */
  readonly log: { warn(message: string): void }
  /** `drop` leaves out B-frames that no other picture needs; `reject` refuses the viewers of such a stream. */
  readonly bframes: 'drop' | 'reject'
  /** The simulcast layer that the viewer asked for, by the track's `layer` or `label`; else the network decides. */
  readonly layer?: string | undefined
  /** The name of this end, as its description has it (RFC 7022). */
  readonly cname: string
  readonly randomBytes?: (sizeBytes: number) => Buffer
}

/** The counters of a viewer in lists. */
export type PlayoutCounts = {
  readonly packets: number
  readonly payloadBytes: number
  readonly resentPackets: number
  /** The packets that the viewer asked for and did not get. */
  readonly refusedPackets: number
  readonly keyframeRequests: number
  /** RTCP packets that were malformed, or too many. */
  readonly ignoredRtcp: number
  /** The loss in the viewer's last report. */
  readonly lossPercent: number
  readonly lostPackets: number
  readonly rttMs: number | undefined
  readonly jitterMs: number
  /** The simulcast layer that it gets; undefined for the main track. */
  readonly layer: string | undefined
}

/**
 * Sends a stream to one viewer of WebRTC. Packets are cut once for all viewers; here they get their headers, are kept for repeats, and the
 * viewer's reports are obeyed.
 */
export class Playout implements UnitReader {
  readonly #init: PlayoutInit
  readonly #outlets: readonly Outlet[]
  readonly #pictures: Pictures | undefined
  readonly #video: NegotiatedMedia | undefined
  readonly #audio: NegotiatedMedia | undefined
  readonly #soundOutlet: Outlet | undefined
  readonly #reports: SenderReports
  readonly #feedback: Feedback
  /** All tracks of sound and pictures, in the order of their declaration. */
  #tracks: Track[] = []
  #soundTrack: Track | undefined
  /** True when the next sound begins after silence. */
  #soundBegins = true
  #isBeginning = false
  #accountedBytes = 0
  #isClosed = false

  /** @throws {RangeError} for a media without a format */
  constructor(init: PlayoutInit) {
    this.#init = init
    const { medias, transport, cname, randomBytes = systemRandomBytes } = init
    const outletFor = (media: NegotiatedMedia | undefined) => media && new Outlet({ media, transport, randomBytes })
    this.#video = medias.find(({ kind }) => kind === 'video')
    this.#audio = medias.find(({ kind }) => kind === 'audio')
    const videoOutlet = outletFor(this.#video)
    this.#soundOutlet = outletFor(this.#audio)
    this.#outlets = [videoOutlet, this.#soundOutlet].filter((outlet) => outlet !== undefined)
    this.#pictures = videoOutlet && this.#createPictures(videoOutlet)
    this.#reports = new SenderReports({ outlets: this.#outlets, transport, cname })
    this.#feedback = new Feedback({ outlets: this.#outlets, pictures: this.#pictures, videoOutlet, transport })
  }

  get counts(): PlayoutCounts {
    const sum = (count: (outlet: Outlet) => number) => this.#outlets.reduce((total, one) => total + count(one), 0)
    const receptions = this.#outlets.map(({ reception }) => reception)
    const rttMs = receptions.find((reception) => reception.rttMs !== undefined)?.rttMs
    const jitters = this.#outlets.map(({ reception, sender }) => (reception.jitterTicks * 1000) / sender.clockRate)
    return {
      packets: sum(({ sender }) => sender.packetCount),
      payloadBytes: sum(({ payloadBytes }) => payloadBytes),
      resentPackets: sum(({ resentPackets }) => resentPackets),
      refusedPackets: sum(({ refusedPackets }) => refusedPackets),
      keyframeRequests: this.#pictures?.keyframeRequests ?? 0,
      ignoredRtcp: this.#feedback.ignored,
      lossPercent: Math.round(Math.max(0, ...receptions.map(({ lossFraction }) => lossFraction)) * 100),
      lostPackets: sum(({ reception }) => reception.lostPackets),
      rttMs: rttMs === undefined ? undefined : Math.round(rttMs),
      jitterMs: Math.round(Math.max(0, ...jitters)),
      layer: this.#pictures?.layers.current?.layer,
    }
  }

  /** Begins to read the subscriber, once media can be sent. Called once. */
  start(): void {
    const read = () => this.#init.subscriber.read(this)
    this.#isBeginning = true
    try {
      if (this.#pictures === undefined) read()
      else this.#pictures.begin(read)
    } finally {
      this.#isBeginning = false
    }
  }

  track(track: Track): void {
    const index = this.#tracks.findIndex(({ id }) => id === track.id)
    if (index < 0) this.#tracks.push(track)
    else this.#tracks[index] = track
    if (track.kind === 'video') {
      if (isOf(this.#video, track)) this.#pictures?.layers.add(track)
      else this.#pictures?.layers.remove(track)
    } else this.#chooseSound()
  }

  trackRemoved(track: Track): void {
    this.#tracks = this.#tracks.filter(({ id }) => id !== track.id)
    if (track.kind === 'video') this.#pictures?.layers.remove(track)
    else this.#chooseSound()
  }

  unit(unit: AccessUnit): void {
    const { track } = unit
    if (track === this.#soundTrack) this.#sound(unit)
    else if (track.kind === 'video' && this.#pictures !== undefined) {
      if (this.#pictures.layers.current === undefined) this.#refuse(track)
      else this.#pictures.unit(unit, this.#init.now())
    }
  }

  discontinuity(): void {
    this.#pictures?.interrupt()
    this.#soundBegins = true
  }

  sourceEnded(): void {
    this.discontinuity()
    this.#pictures?.layers.clear()
    this.#tracks = []
    this.#soundTrack = undefined
  }

  /** Takes a compound RTCP packet of the viewer. A malformed one, or one too many, is counted. */
  rtcp(packet: Buffer): void {
    if (!this.#isClosed) this.#feedback.take(packet, this.#init.now())
  }

  /** Sends a BYE to the viewer. Idempotent. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#pictures?.close()
    this.#account()
    this.#reports.end()
  }

  #createPictures(outlet: Outlet): Pictures {
    const { layer, now, subscriber, timers } = this.#init
    return new Pictures({
      outlet,
      layer,
      now,
      setTimeout: (callback, delayMs) => timers.setTimeout(callback, delayMs),
      requestKeyframe: (track) => subscriber.requestKeyframe(track),
      sent: (unit, ticks, nowMs) => this.#sent(unit, (ticks * 1000) / outlet.sender.clockRate, nowMs),
      bframes: (track, problem) => this.#bframes(track, problem),
    })
  }

  #sound(unit: AccessUnit): void {
    const outlet = this.#soundOutlet
    // Kept sound is from before now: video catches up, and sound can't.
    if (outlet === undefined || this.#isClosed || this.#isBeginning) return
    const packets = packetsOf(unit)
    if (packets.length === 0) return
    const nowMs = this.#init.now()
    const ticks = rescale(unit.pts, unit.track.timescale, outlet.sender.clockRate)
    outlet.send(packets, ticks, this.#soundBegins, nowMs)
    this.#soundBegins = false
    this.#sent(unit, (ticks * 1000) / outlet.sender.clockRate, nowMs)
  }

  #sent(unit: AccessUnit, timeMs: number, nowMs: number): void {
    this.#init.transport.flush()
    if (this.#reports.sent(unit, timeMs, nowMs)) this.#account()
  }

  #account(): void {
    const bytes = this.#outlets.reduce((sum, { payloadBytes }) => sum + payloadBytes, 0)
    this.#init.subscriber.account({ bytes: bytes - this.#accountedBytes })
    this.#accountedBytes = bytes
  }

  /** Chooses the main audio track, if its format was agreed on with the viewer. */
  #chooseSound(): void {
    const sounds = this.#tracks.filter((track) => isOf(this.#audio, track))
    const [track] = mainTracks(sounds)
    if (track?.id !== this.#soundTrack?.id) this.#soundBegins = true
    this.#soundTrack = track
  }

  #refuse({ codec }: VideoTrack): void {
    const { encodingName } = this.#video!.formats[0]!.format
    const text = `the pictures are ${codec} now, and the player was promised ${encodingName}: it can come back for them`
    this.#init.subscriber.close({ code: 'closed', text })
  }

  #bframes(track: VideoTrack, problem: string): void {
    if (!toldOfBframes.has(track)) {
      toldOfBframes.add(track)
      this.#init.log.warn(problem)
    }
    if (this.#init.bframes === 'reject') this.#init.subscriber.close({ code: 'closed', text: problem })
  }
}

/** True when a track can be sent in the format that was agreed on for a media. */
function isOf(media: NegotiatedMedia | undefined, track: Track): boolean {
  const agreed = media?.formats[0]?.format
  const format = agreed && rtpFormatOfTrack(track, agreed.payloadType)
  if (agreed === undefined || format === undefined) return false
  return (
    format.encodingName === agreed.encodingName &&
    format.clockRate === agreed.clockRate &&
    (format.channels === agreed.channels || track.codec === 'opus')
  )
}
