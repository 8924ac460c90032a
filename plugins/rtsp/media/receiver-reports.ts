import { parseRtcp, tryParse } from 'sluice/sdk/media'

/** More than a session has medias. */
const MAX_SOURCES = 32

/** The losses in a player's receiver reports (RFC 3550 6.4.2). */
export class ReceiverReports {
  /** The packets lost, by this server's SSRC. */
  readonly #lost = new Map<number, number>()
  #fractionLost = 0

  /** The losses for the details of a session; empty before the first report. */
  get details(): Readonly<Record<string, number>> {
    if (this.#lost.size === 0) return {}
    const lostPackets = [...this.#lost.values()].reduce((sum, lost) => sum + lost, 0)
    return { lostPackets, lossPercent: Math.round((this.#fractionLost * 100) / 256) }
  }

  /** Takes an RTCP packet; a malformed one is ignored. */
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
