/**
 * What a connection has counted and measured, under the names that libsrt has for it (`SRT_TRACEBSTATS`), which operators know.
 * Counters are of the whole time of the connection; rates are in megabits, times in milliseconds.
 */
export type SrtStatistics = {
  readonly msTimeStamp: number
  readonly msRTT: number
  /** What the way can carry by the estimate of whoever receives. */
  readonly mbpsBandwidth: number
  readonly pktSent: number
  readonly byteSent: number
  readonly pktSndLoss: number
  readonly pktRetrans: number
  readonly byteRetrans: number
  /** What was dropped instead of sent, as it would come too late. */
  readonly pktSndDrop: number
  readonly pktFlightSize: number
  readonly pktSndBuf: number
  readonly byteSndBuf: number
  readonly msSndBuf: number
  readonly msSndTsbPdDelay: number
  readonly pktRecvACK: number
  readonly pktRecvNAK: number
  readonly mbpsSendRate: number
  readonly pktRecv: number
  readonly byteRecv: number
  readonly pktRcvLoss: number
  /** What was given up, as it did not come in time. */
  readonly pktRcvDrop: number
  /** What came after it was given up. */
  readonly pktRcvBelated: number
  readonly pktRcvUndecrypt: number
  readonly pktRcvBuf: number
  readonly byteRcvBuf: number
  readonly msRcvTsbPdDelay: number
  readonly pktSentACK: number
  readonly pktSentNAK: number
  readonly mbpsRecvRate: number
}
