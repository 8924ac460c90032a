/** Control packets by their type (draft-sharabayko-srt-01 3.2), as far as tests decide by it. */
export const SRT_CONTROL = {
  handshake: 0,
  keepAlive: 1,
  acknowledgement: 2,
  lossReport: 3,
  shutdown: 5,
  acknowledgedAcknowledgement: 6,
  dropRequest: 7,
  userDefined: 0x7fff,
} as const

/** What can be read of a datagram on its way, encrypted or not. */
export type SrtDatagram = {
  /** Its place among all of its direction and client. */
  readonly index: number
  /** By the first client, the second, …: the order in which they first sent something. */
  readonly client: number
  /** Of a control packet; undefined of data. */
  readonly controlType: number | undefined
  /** Of data, 31 bits; 0 of a control packet. */
  readonly sequence: number
  /** The key that data is encrypted with: 1 even, 2 odd, 0 none. */
  readonly keyFlag: number
  /** Whether it is data that was sent before. */
  readonly isRetransmitted: boolean
}

const HEADER_BYTES = 16

/** What a datagram says of itself; one that is too short for SRT is taken for data with the sequence number 0. */
export function describeDatagram(datagram: Buffer, place: Pick<SrtDatagram, 'index' | 'client'>): SrtDatagram {
  const isSrt = datagram.length >= HEADER_BYTES
  const first = isSrt ? datagram.readUInt32BE(0) : 0
  const isControl = first >= 0x8000_0000
  return {
    ...place,
    controlType: isControl ? (first >>> 16) & 0x7fff : undefined,
    sequence: isControl ? 0 : first,
    keyFlag: isSrt && !isControl ? (datagram[4]! >> 3) & 3 : 0,
    isRetransmitted: isSrt && !isControl && (datagram[4]! & 0x04) !== 0,
  }
}
