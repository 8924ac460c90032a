import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { UnitSink } from 'sluice/sdk'
import { RtpClock, RtpReceiver, SDES_ITEM_TYPE, serializeRtcp, type RtpFormat } from 'sluice/sdk/media'
import type { Timers } from '../plugin-context.ts'
import { receivedRtcp } from './received-rtcp.ts'

/** How long a packet is waited for while later ones have come, and how many of those are kept. */
const DATAGRAM_ORDER = { maxPackets: 1024, maxDelayMs: 200 }
/** Over a byte stream, all packets come in order. */
const STREAM_ORDER = { maxPackets: 0, maxDelayMs: 0 }
/** Reports of what has come go out this often (RFC 3550 6.2). */
const REPORT_INTERVAL_MS = 5000
/** A source that loses much is asked for keyframes no more often. */
const MIN_KEYFRAME_INTERVAL_MS = 1000
/** How often packets are let go that waited for others. */
const TICK_MS = 20
const CNAME = 'sluice'

/** A media of a session description that is received. */
export type ReceivedMedia = {
  readonly format: RtpFormat
  /** Whether its packets can be late, lost or in disorder. */
  readonly isDatagram: boolean
  /** Sends an RTCP packet to the source. */
  readonly sendRtcp: (packet: Buffer) => void
}

/** What became of a source's packets. */
export type ReceptionCounts = {
  readonly lostPackets: number
  readonly reorderedPackets: number
  readonly duplicatePackets: number
  /** That made no sense. */
  readonly brokenPackets: number
}

type Inlet = {
  readonly media: ReceivedMedia
  readonly receiver: RtpReceiver
  /** Losses up to which a keyframe was asked for, and when the last one was. */
  mendedLosses: number
  askedMs: number
}

/** Puts what an RTP source sends into a sink for units, and reports to the source what has come. */
export class RtspIngest {
  /** By the places of the medias; those that are not received have none. */
  readonly #inlets: readonly (Inlet | undefined)[]
  readonly #ssrc = randomBytes(4).readUInt32BE()
  readonly #stops: readonly (() => void)[]
  #tickedMs = performance.now()
  #stalledMs = 0

  /** @param medias by their place in the session description; undefined for those that are not received */
  constructor(sink: UnitSink, medias: readonly (ReceivedMedia | undefined)[], timers: Pick<Timers, 'setInterval'>) {
    const clock = new RtpClock()
    this.#inlets = medias.map((media) => media && createInlet(media, sink, clock))
    const isDatagram = medias.some((media) => media?.isDatagram === true)
    this.#stops = [
      timers.setInterval(() => this.#report(), REPORT_INTERVAL_MS),
      ...(isDatagram ? [timers.setInterval(() => this.#tick(), TICK_MS)] : []),
    ]
  }

  /** Whether all that is received has declared its track. */
  get isComplete(): boolean {
    return this.#inlets.every((inlet) => inlet === undefined || inlet.receiver.track !== undefined)
  }

  get counts(): ReceptionCounts {
    const counts = { lostPackets: 0, reorderedPackets: 0, duplicatePackets: 0, brokenPackets: 0 }
    for (const { receiver } of this.#present()) {
      counts.lostPackets += receiver.statistics.lostPackets
      counts.reorderedPackets += receiver.statistics.reorderedPackets
      counts.duplicatePackets += receiver.statistics.duplicatePackets
      counts.brokenPackets += receiver.brokenPackets
    }
    return counts
  }

  /** Takes an RTP packet of a media, whose bytes are kept. */
  rtp(index: number, packet: Buffer): void {
    this.#inlets[index]?.receiver.push(packet, this.#nowMs())
  }

  /**
   * Takes an RTCP packet of a media. One that is broken is left out: reports come again.
   * @returns whether it is a report of a source that stays, which says that it is there
   */
  rtcp(index: number, packet: Buffer): boolean {
    const inlet = this.#inlets[index]
    const messages = receivedRtcp(packet)
    for (const message of messages) {
      if (message.kind === 'senderReport') inlet?.receiver.report(message, this.#nowMs())
    }
    return messages.length > 0 && messages.every(({ kind }) => kind !== 'bye')
  }

  /** Asks the source for a keyframe of a track (PLI, RFC 4585 6.3.1). Many cameras do not listen. */
  requestKeyframe(trackId: number): void {
    const inlet = this.#present().find(({ receiver }) => receiver.track?.id === trackId)
    if (inlet !== undefined) this.#askForKeyframe(inlet)
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }

  #present(): Inlet[] {
    return this.#inlets.filter((inlet) => inlet !== undefined)
  }

  #tick(): void {
    this.#noteStall()
    const nowMs = this.#nowMs()
    for (const inlet of this.#present()) {
      inlet.receiver.tick(nowMs)
      if (inlet.receiver.track?.kind === 'video') this.#mendLoss(inlet, nowMs)
    }
  }

  /** A clock that stands still while this process is held up: what has come meanwhile is still to be read, and not late. */
  #nowMs(): number {
    return performance.now() - this.#stalledMs
  }

  #noteStall(): void {
    const nowMs = performance.now()
    const stalledMs = nowMs - this.#tickedMs - TICK_MS
    if (stalledMs > TICK_MS) this.#stalledMs += stalledMs
    this.#tickedMs = nowMs
  }

  /** Has the source send a keyframe, without which what follows a loss can't be decoded. */
  #mendLoss(inlet: Inlet, nowMs: number): void {
    const { losses } = inlet.receiver
    if (losses === inlet.mendedLosses || nowMs - inlet.askedMs < MIN_KEYFRAME_INTERVAL_MS) return
    inlet.mendedLosses = losses
    inlet.askedMs = nowMs
    this.#askForKeyframe(inlet)
  }

  #askForKeyframe({ media, receiver }: Inlet): void {
    const mediaSsrc = receiver.ssrc
    if (mediaSsrc === undefined) return
    const pli = { kind: 'pictureLossIndication', senderSsrc: this.#ssrc, mediaSsrc } as const
    media.sendRtcp(serializeRtcp([{ kind: 'receiverReport', ssrc: this.#ssrc, reports: [] }, pli]))
  }

  #report(): void {
    const nowMs = this.#nowMs()
    for (const { media, receiver } of this.#present()) {
      const block = receiver.statistics.report(nowMs)
      const reports = block === undefined ? [] : [block]
      media.sendRtcp(
        serializeRtcp([
          { kind: 'receiverReport', ssrc: this.#ssrc, reports },
          {
            kind: 'sourceDescription',
            chunks: [{ ssrc: this.#ssrc, items: [{ type: SDES_ITEM_TYPE.cname, text: CNAME }] }],
          },
        ]),
      )
    }
  }
}

function createInlet(media: ReceivedMedia, sink: UnitSink, clock: RtpClock): Inlet {
  const { format, isDatagram } = media
  const reorder = isDatagram ? DATAGRAM_ORDER : STREAM_ORDER
  return { media, receiver: new RtpReceiver({ format, sink, clock, reorder }), mendedLosses: 0, askedMs: -Infinity }
}
