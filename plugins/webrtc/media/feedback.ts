import { MalformedError, parseRemb, parseRtcp, type ReportBlock, type RtcpPacket } from 'sluice/sdk/media'
import type { PacketSender } from '../transport/peer-transport.ts'
import type { Outlet } from './outlet.ts'
import type { Pictures } from './pictures.ts'

/** The most compound packets of a viewer that are read in a second. Those of browsers come about 60 times at most. */
const MAX_PACKETS_PER_SECOND = 200
const SECOND_MS = 1000

export type FeedbackInit = {
  readonly outlets: readonly Outlet[]
  readonly pictures: Pictures | undefined
  /** The outlet of the video. */
  readonly videoOutlet: Outlet | undefined
  readonly transport: Pick<PacketSender, 'flush'>
}

/** Takes a viewer's RTCP: it repeats packets, requests keyframes and chooses layers. */
export class Feedback {
  readonly #init: FeedbackInit
  #secondMs = -Infinity
  #packets = 0
  #ignored = 0

  constructor(init: FeedbackInit) {
    this.#init = init
  }

  /** The number of compound packets that were malformed, or too many. */
  get ignored(): number {
    return this.#ignored
  }

  /** Takes a compound packet. */
  take(packet: Buffer, nowMs: number): void {
    if (nowMs - this.#secondMs >= SECOND_MS || nowMs < this.#secondMs) {
      this.#secondMs = nowMs
      this.#packets = 0
    }
    this.#packets += 1
    try {
      if (this.#packets > MAX_PACKETS_PER_SECOND) this.#ignored += 1
      else for (const message of parseRtcp(packet)) this.#takeMessage(message, nowMs)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#ignored += 1
    }
  }

  #takeMessage(message: RtcpPacket, nowMs: number): void {
    const { pictures, transport, videoOutlet } = this.#init
    switch (message.kind) {
      case 'genericNack':
        this.#outletOf(message.mediaSsrc)?.resend(message.sequenceNumbers, nowMs)
        transport.flush()
        break
      case 'pictureLossIndication':
        if (message.mediaSsrc === videoOutlet?.sender.ssrc) pictures?.pictureLost(nowMs)
        break
      case 'fullIntraRequest':
        if (message.requests.some(({ ssrc }) => ssrc === videoOutlet?.sender.ssrc)) pictures?.pictureLost(nowMs)
        break
      case 'senderReport':
      case 'receiverReport':
        for (const report of message.reports) this.#takeReport(report, nowMs)
        break
      case 'payloadFeedback': {
        const estimate = parseRemb(message)
        if (estimate !== undefined) pictures?.layers.estimate(estimate.bitrateBps, nowMs)
        break
      }
      default:
    }
  }

  #takeReport(report: ReportBlock, nowMs: number): void {
    const outlet = this.#outletOf(report.ssrc)
    outlet?.reception.take(report, nowMs)
    if (outlet !== undefined && outlet === this.#init.videoOutlet) {
      this.#init.pictures?.layers.loss(outlet.reception.lossFraction, nowMs)
    }
  }

  #outletOf(ssrc: number): Outlet | undefined {
    return this.#init.outlets.find((outlet) => outlet.sender.ssrc === ssrc)
  }
}
