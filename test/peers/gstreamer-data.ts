/** One buffer out of a file that GStreamer's `gdppay` has written. */
export type GstreamerBuffer = {
  /** Milliseconds with fractions; null when it has none. */
  readonly ptsMs: number | null
  readonly data: Buffer
}

const HEADER_BYTES = 62
const BUFFER_TYPE = 1
const NO_TIME = 0xffff_ffff_ffff_ffffn

/**
 * Reads the buffers of a file in the GStreamer Data Protocol, version 1.0: type at 4, size at 6, pts in nanoseconds at 10
 * of each header. Caps and events are passed over, and so is a last one that is not whole yet.
 */
export function parseGstreamerData(bytes: Buffer): GstreamerBuffer[] {
  const buffers: GstreamerBuffer[] = []
  for (let offset = 0; offset + HEADER_BYTES <= bytes.length;) {
    const start = offset + HEADER_BYTES
    const end = start + bytes.readUInt32BE(offset + 6)
    if (end > bytes.length) break
    if (bytes.readUInt16BE(offset + 4) === BUFFER_TYPE) {
      const pts = bytes.readBigUInt64BE(offset + 10)
      buffers.push({ ptsMs: pts === NO_TIME ? null : Number(pts) / 1e6, data: bytes.subarray(start, end) })
    }
    offset = end
  }
  return buffers
}
