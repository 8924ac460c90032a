import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { UnitSink } from 'sluice/sdk'
import {
  KeyframeRequester,
  parseRtcp,
  RtpClock,
  RtpFeedback,
  RtpReceiver,
  StallClock,
  sumReceptions,
  tryParse,
  type RtpFormat,
  type RtpReceptionCounts,
} from 'sluice/sdk/media'
import type { Timers } from '../plugin-context.ts'

/** The longest wait for a missing packet, and the most later packets that are kept meanwhile. */
const DATAGRAM_ORDER = { maxPackets: 1024, maxDelayMs: 200 }
/** Over a byte stream, all packets come in order. */
const STREAM_ORDER = { maxPackets: 0, maxDelayMs: 0 }
/** The time between receiver reports (RFC 3550 6.2). */
const REPORT_INTERVAL_MS = 5000
/** A source that loses much is asked for keyframes no more often. */
const MIN_KEYFRAME_INTERVAL_MS = 1000
/** The time between looks for packets that have waited long enough for others. */
const TICK_MS = 20
const CNAME = 'sluice'

/** A media of a session description that is received. */
export type ReceivedMedia = {
  readonly format: RtpFormat
  /** True when its packets can be late, lost or out of order. */
  readonly isDatagram: boolean
  /** Sends an RTCP packet to the source. */
  readonly sendRtcp: (packet: Buffer) => void
}

/** The counts of a source's packets. */
export type ReceptionCounts = Omit<RtpReceptionCounts, 'receivedPackets'>

type Inlet = { readonly receiver: RtpReceiver; readonly keyframes: KeyframeRequester; readonly feedback: RtpFeedback }

/** Receives the RTP packets of a source, puts their units into a sink, and sends reports to the source. */
export class RtspIngest {
  /** The receivers by the places of the medias; undefined for medias that are not received. */
  readonly #inlets: readonly (Inlet | undefined)[]
  readonly #now: () => number
  readonly #clock: StallClock
  readonly #stops: readonly (() => void)[]

  /**
   * @param medias the medias by their place in the session description; undefined for those that are not received
   * @param now a monotonic clock
   */
  constructor(
    sink: UnitSink,
    medias: readonly (ReceivedMedia | undefined)[],
    timers: Pick<Timers, 'setInterval'>,
    now: () => number = () => performance.now(),
  ) {
    this.#now = now
    const clock = new RtpClock()
    const ssrc = randomBytes(4).readUInt32BE()
    this.#inlets = medias.map((media) => media && createInlet(media, sink, clock, ssrc))
    const isDatagram = medias.some((media) => media?.isDatagram === true)
    this.#clock = new StallClock(now(), isDatagram ? 2 * TICK_MS : Infinity)
    this.#stops = [
      timers.setInterval(() => this.#report(), REPORT_INTERVAL_MS),
      ...(isDatagram ? [timers.setInterval(() => this.#tick(), TICK_MS)] : []),
    ]
  }

  /** True when every media that is received has declared its track. */
  get isComplete(): boolean {
    return this.#inlets.every((inlet) => inlet === undefined || inlet.receiver.track !== undefined)
  }

  get counts(): ReceptionCounts {
    const { receivedPackets: _, ...counts } = sumReceptions(this.#present().map(({ receiver }) => receiver.counts))
    return counts
  }

  /** Takes an RTP packet of a media and keeps its bytes. */
  rtp(index: number, packet: Buffer): void {
    const inlet = this.#inlets[index]
    if (inlet === undefined) return
    const nowMs = this.#nowMs()
    inlet.receiver.push(packet, nowMs)
    askForKeyframe(inlet, nowMs)
  }

  /**
   * Takes an RTCP packet of a media. A malformed one is ignored: reports come again.
   * @returns true for a report of a source that stays, which is a sign of life
   */
  rtcp(index: number, packet: Buffer): boolean {
    const inlet = this.#inlets[index]
    const messages = tryParse(parseRtcp, packet) ?? []
    for (const message of messages) {
      if (message.kind === 'senderReport') inlet?.receiver.report(message, this.#now())
    }
    return messages.length > 0 && messages.every(({ kind }) => kind !== 'bye')
  }

  /** Asks the source for a keyframe of a track, as soon as it may be asked again. Many cameras do not listen. */
  requestKeyframe(trackId: number): void {
    const inlet = this.#present().find(({ receiver }) => receiver.track?.id === trackId)
    if (inlet === undefined) return
    inlet.keyframes.need()
    askForKeyframe(inlet, this.#nowMs())
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }

  #present(): Inlet[] {
    return this.#inlets.filter((inlet) => inlet !== undefined)
  }

  #nowMs(): number {
    return this.#clock.at(this.#now())
  }

  #tick(): void {
    const nowMs = this.#clock.tick(this.#now())
    for (const inlet of this.#present()) {
      inlet.receiver.tick(nowMs)
      askForKeyframe(inlet, nowMs)
    }
  }

  #report(): void {
    for (const { feedback, receiver } of this.#present()) {
      const block = receiver.statistics.report(this.#now())
      feedback.report(block === undefined ? [] : [block])
    }
  }
}

function createInlet(
  { format, isDatagram, sendRtcp }: ReceivedMedia,
  sink: UnitSink,
  clock: RtpClock,
  ssrc: number,
): Inlet {
  const reorder = isDatagram ? DATAGRAM_ORDER : STREAM_ORDER
  const keyframes = new KeyframeRequester({ sink, minIntervalMs: MIN_KEYFRAME_INTERVAL_MS, maxAgeMs: 0 })
  return {
    receiver: new RtpReceiver({ format, sink: keyframes, clock, reorder }),
    keyframes,
    feedback: new RtpFeedback({ ssrc, cname: CNAME, reducedSize: false, send: sendRtcp }),
  }
}

function askForKeyframe({ feedback, keyframes, receiver: { ssrc, track } }: Inlet, nowMs: number): void {
  if (ssrc !== undefined && track?.kind === 'video') feedback.askForKeyframe(ssrc, keyframes, nowMs)
}
