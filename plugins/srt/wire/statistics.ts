/**
 * The statistics of a connection, by the names of libsrt (`SRT_TRACEBSTATS`), which operators know. Counters are totals of the connection;
 * rates are in megabits per second, times in milliseconds.
 */
export type SrtStatistics = {
  readonly msTimeStamp: number
  readonly msRTT: number
  /** The bandwidth of the link, as the receiver estimates it. */
  readonly mbpsBandwidth: number
  /** All packets sent, with repeats; `Unique` is without these. */
  readonly pktSentTotal: number
  readonly pktSentUniqueTotal: number
  readonly byteSentTotal: number
  readonly byteSentUniqueTotal: number
  readonly pktSndLossTotal: number
  readonly pktRetransTotal: number
  readonly byteRetransTotal: number
  /** Packets that were dropped instead of sent, as they would come too late. */
  readonly pktSndDropTotal: number
  readonly pktFlightSize: number
  readonly pktSndBuf: number
  readonly byteSndBuf: number
  readonly msSndBuf: number
  readonly msSndTsbPdDelay: number
  readonly pktRecvACKTotal: number
  readonly pktRecvNAKTotal: number
  readonly mbpsSendRate: number
  /** All packets received, with those that came twice or too late; `Unique` is without these. */
  readonly pktRecvTotal: number
  readonly pktRecvUniqueTotal: number
  readonly byteRecvTotal: number
  readonly pktRcvLossTotal: number
  /** Packets that were given up, as they did not come in time. */
  readonly pktRcvDropTotal: number
  /** Packets that came after they were delivered or given up. */
  readonly pktRcvBelated: number
  readonly pktRcvUndecryptTotal: number
  readonly pktRcvBuf: number
  readonly byteRcvBuf: number
  readonly msRcvTsbPdDelay: number
  readonly pktSentACKTotal: number
  readonly pktSentNAKTotal: number
  readonly mbpsRecvRate: number
}
