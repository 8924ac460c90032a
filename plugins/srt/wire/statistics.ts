/**
 * What a connection has counted and measured, under the names that libsrt has for it (`SRT_TRACEBSTATS`), which operators know.
 * Counters are of the whole time of the connection; rates are in megabits, times in milliseconds.
 */
export type SrtStatistics = {
  readonly msTimeStamp: number
  readonly msRTT: number
  /** What the way can carry by the estimate of whoever receives. */
  readonly mbpsBandwidth: number
  /** With what was sent again; `Unique` is without that. */
  readonly pktSentTotal: number
  readonly pktSentUniqueTotal: number
  readonly byteSentTotal: number
  readonly byteSentUniqueTotal: number
  readonly pktSndLossTotal: number
  readonly pktRetransTotal: number
  readonly byteRetransTotal: number
  /** What was dropped instead of sent, as it would come too late. */
  readonly pktSndDropTotal: number
  readonly pktFlightSize: number
  readonly pktSndBuf: number
  readonly byteSndBuf: number
  readonly msSndBuf: number
  readonly msSndTsbPdDelay: number
  readonly pktRecvACKTotal: number
  readonly pktRecvNAKTotal: number
  readonly mbpsSendRate: number
  /** With what came twice, or too late; `Unique` is without that. */
  readonly pktRecvTotal: number
  readonly pktRecvUniqueTotal: number
  readonly byteRecvTotal: number
  readonly pktRcvLossTotal: number
  /** What was given up, as it did not come in time. */
  readonly pktRcvDropTotal: number
  /** What came after it was delivered or given up. */
  readonly pktRcvBelated: number
  readonly pktRcvUndecryptTotal: number
  readonly pktRcvBuf: number
  readonly byteRcvBuf: number
  readonly msRcvTsbPdDelay: number
  readonly pktSentACKTotal: number
  readonly pktSentNAKTotal: number
  readonly mbpsRecvRate: number
}
