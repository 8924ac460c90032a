/** `$`, the channel and the size of the payload in 16 bits (RFC 2326 10.12). */
export const INTERLEAVED_HEADER_SIZE_BYTES = 4

/** The first byte of a frame, a dollar sign. */
export const INTERLEAVED_MARK = 0x24

/** Returns true when media may come on a channel. */
export type IsChannel = (channel: number) => boolean

/** Puts the header of a frame into `target`, in place: 4 bytes at `offset`. */
export function writeInterleavedHeader(target: Buffer, offset: number, channel: number, sizeBytes: number): void {
  target[offset] = INTERLEAVED_MARK
  target[offset + 1] = channel
  target.writeUInt16BE(sizeBytes, offset + 2)
}

/** True when a payload that begins with this byte can be RTP or RTCP, which have version 2 (RFC 3550 5.1, 6.4.1). */
export function isRtpLike(firstByte: number): boolean {
  return firstByte >> 6 === 2
}
