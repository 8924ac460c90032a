import { PES_TIMESCALE, rescale, type AccessUnit, type MediaTrack } from 'sluice/sdk/media'
import type { MediaOffer } from '../sdp/offer.ts'
import type { Quirks } from '../quirks.ts'
import type { Timers } from '../timers.ts'
import type { Clip } from './clip.ts'
import type { PlaybackOrder } from './mansrtsp.ts'
import type { MediaSocket } from './media-socket.ts'
import { Playout } from './playout.ts'
import { ProgramStream } from './program-stream.ts'
import { RtpStream } from './rtp-stream.ts'
import type { Ticker } from './ticker.ts'

/** The payload types of G.711 in RTP (RFC 3551 6). */
const G711_TYPES = { pcma: 8, pcmu: 0 } as const
const G711_RATE = 8000
const MS_A_SECOND = 1000

export type MediaSessionInit = {
  readonly channelId: string
  readonly offer: MediaOffer
  readonly clip: Clip
  readonly socket: MediaSocket
  readonly ssrc: number
  readonly quirks: Quirks
  readonly timers: Timers
  readonly ticker: Ticker
  /** The length of what is played; undefined for what is live. */
  readonly durationMs: number | undefined
  /** All has been played. */
  readonly onPlayed: () => void
  /** The device has sent media for as long as the quirk lets it. */
  readonly onEnough: () => void
}

/** Media on their way to the platform. */
export class MediaSession {
  readonly channelId: string
  /** `Play`, `Playback` or `Download`. */
  readonly kind: string
  readonly offer: MediaOffer
  readonly ssrc: number
  readonly #init: MediaSessionInit
  readonly #stream: ProgramStream
  readonly #rtp: RtpStream
  #playout: Playout | undefined
  #isStarted = false
  /** True while the platform takes less than is sent. */
  #isHeld = false
  #isEnded = false
  #stopTicks = () => {}
  #stopCount = () => {}
  #sentPackets = 0
  #sentBytes = 0
  #lastMediaMs = 0

  constructor(init: MediaSessionInit) {
    const { channelId, offer, clip, quirks, ssrc } = init
    this.#init = init
    this.channelId = channelId
    this.kind = offer.kind
    this.offer = offer
    this.ssrc = ssrc
    this.#stream = new ProgramStream(
      clip.tracks.filter((track) => this.#bareType(track) === undefined),
      quirks,
    )
    this.#rtp = new RtpStream(ssrc, quirks)
  }

  /** The packets of RTP that were sent. */
  get sentPackets(): number {
    return this.#sentPackets
  }

  /** The bytes of packets of RTP that were sent. */
  get sentBytes(): number {
    return this.#sentBytes
  }

  /** The media's time of the last unit that was sent, in milliseconds. */
  get lastMediaMs(): number {
    return this.#lastMediaMs
  }

  /** True while media are sent, also when they are paused. */
  get isSending(): boolean {
    return this.#playout !== undefined && !this.#isEnded
  }

  get isPaused(): boolean {
    return this.#playout?.isPaused ?? false
  }

  /** The speed of the media's time. */
  get scale(): number {
    return this.#playout?.scale ?? 1
  }

  /**
   * Begins to send, once the platform can be reached; does nothing when it has begun, as an `ACK` may come twice.
   * @throws {Error} when it can't be reached
   */
  async start(): Promise<void> {
    const { clip, quirks, socket, ticker, timers, durationMs, offer } = this.#init
    if (this.#isStarted || quirks.has('silent')) return
    this.#isStarted = true
    await socket.start()
    if (this.#isEnded) return
    const end = durationMs === undefined ? {} : { endTicks: (durationMs * PES_TIMESCALE) / MS_A_SECOND }
    this.#playout = new Playout({ clip, nowMs: timers.now(), scale: offer.downloadSpeed ?? 1, ...end })
    this.#stopTicks = ticker.add(() => this.#tick())
    const seconds = quirks.numberOf('bye-after')
    if (seconds !== undefined) this.#stopCount = timers.after(seconds * MS_A_SECOND, this.#init.onEnough)
  }

  /** Obeys an order of the platform, but for the one to end. */
  steer({ verb, scale, seekMs }: PlaybackOrder): void {
    const nowMs = this.#init.timers.now()
    if (verb === 'PAUSE') {
      this.#isHeld = false
      return this.#playout?.pause(nowMs)
    }
    if (scale !== undefined) this.#playout?.setScale(nowMs, scale)
    if (seekMs !== undefined) this.#playout?.seek(nowMs, seekMs)
    this.#playout?.resume(nowMs)
  }

  /** Goes on with a keyframe. */
  forceKeyframe(): void {
    this.#playout?.toKeyframe()
  }

  /** Ends it; no more media are sent. */
  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#stopTicks()
    this.#stopCount()
    this.#init.socket.close()
  }

  #tick(): void {
    const { socket, timers } = this.#init
    const playout = this.#playout
    const nowMs = timers.now()
    if (playout === undefined || (playout.isPaused && !this.#isHeld)) return
    if (socket.isCongested !== this.#isHeld) {
      this.#isHeld = socket.isCongested
      if (this.#isHeld) playout.pause(nowMs)
      else playout.resume(nowMs)
    }
    for (const { unit, ptsTicks } of playout.take(nowMs)) this.#send(unit, ptsTicks)
    if (playout.hasEnded(nowMs)) this.#init.onPlayed()
  }

  #send(unit: AccessUnit, ptsTicks: number): void {
    const bareType = this.#bareType(unit.track)
    const packets =
      bareType === undefined
        ? this.#rtp.packets(this.#stream.pack(unit), {
            payloadType: this.offer.payloadType,
            timestamp: ptsTicks,
            marker: unit.track.kind === 'video',
          })
        : this.#rtp.packets(unit.data, {
            payloadType: bareType,
            timestamp: rescale(unit.pts, unit.track.timescale, G711_RATE),
            marker: false,
          })
    if (packets.length > 0) this.#init.socket.send(packets)
    this.#sentPackets += packets.length
    for (const packet of packets) this.#sentBytes += packet.length
    this.#lastMediaMs = ptsTicks / (PES_TIMESCALE / MS_A_SECOND)
  }

  /** The payload type of sound that goes beside the program stream; undefined for what is in it. */
  #bareType({ codec }: Pick<MediaTrack, 'codec'> | AccessUnit['track']): number | undefined {
    if (!this.#init.quirks.has('bare-audio')) return undefined
    return codec === 'pcma' || codec === 'pcmu' ? G711_TYPES[codec] : undefined
  }
}
