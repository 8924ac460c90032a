import { parseRtcp, tryParse } from 'sluice/sdk/media'

/** More than a session has medias. */
const MAX_SOURCES = 32

/** What a player reports of the packets that it gets (RFC 3550 6.4.2). */
export class ReceiverReports {
  /** By SSRC of ours. */
  readonly #lost = new Map<number, number>()
  #fractionLost = 0

  /** For the details of a session; nothing before the first report. */
  get details(): Readonly<Record<string, number>> {
    if (this.#lost.size === 0) return {}
    const lostPackets = [...this.#lost.values()].reduce((sum, lost) => sum + lost, 0)
    return { lostPackets, lossPercent: Math.round((this.#fractionLost * 100) / 256) }
  }

  /** Takes an RTCP packet; one that is broken says nothing. */
  take(packet: Buffer): void {
    for (const message of tryParse(parseRtcp, packet) ?? []) {
      if (message.kind !== 'receiverReport' && message.kind !== 'senderReport') continue
      for (const { ssrc, cumulativeLost, fractionLost } of message.reports) {
        if (this.#lost.size < MAX_SOURCES || this.#lost.has(ssrc)) this.#lost.set(ssrc, cumulativeLost)
        this.#fractionLost = fractionLost
      }
    }
  }
}
