import { MalformedError } from 'sluice/sdk/media'

/** Markers of ITU-T T.81 table B.1, after their `ff`. */
const MARKER = { SOI: 0xd8, EOI: 0xd9, SOS: 0xda, TEM: 0x01, RST0: 0xd0, RST7: 0xd7 } as const

/**
 * Splits consecutive JPEGs (ITU-T T.81 B.1).
 * @returns views of the bytes
 * @throws {MalformedError} when there are other bytes between them, or the last one is cut off
 */
export function splitJpegs(bytes: Buffer): Buffer[] {
  const pictures: Buffer[] = []
  for (let start = 0; start < bytes.length;) {
    const end = endOfJpeg(bytes, start)
    pictures.push(bytes.subarray(start, end))
    start = end
  }
  return pictures
}

function endOfJpeg(bytes: Buffer, start: number): number {
  if (bytes[start] !== 0xff || bytes[start + 1] !== MARKER.SOI)
    throw new MalformedError('a JPEG begins with its marker')
  for (let offset = start + 2; offset + 1 < bytes.length;) {
    const marker = bytes[offset + 1] ?? 0
    if (bytes[offset] !== 0xff) throw new MalformedError('a part of the JPEG has no marker')
    // Any number of fill bytes `ff` may come before a marker.
    if (marker === 0xff) offset += 1
    else if (marker === MARKER.EOI) return offset + 2
    else if (isAlone(marker)) offset += 2
    else {
      if (offset + 4 > bytes.length) break
      const lengthBytes = bytes.readUInt16BE(offset + 2)
      if (lengthBytes < 2) throw new MalformedError('a part of the JPEG is shorter than its length')
      offset += 2 + lengthBytes
      if (marker === MARKER.SOS) offset = nextMarker(bytes, offset)
    }
  }
  throw new MalformedError('the JPEG is cut off')
}

function isAlone(marker: number): boolean {
  return marker === MARKER.TEM || (marker >= MARKER.RST0 && marker <= MARKER.RST7)
}

/** Returns the end of coded data: an `ff` in it is followed by a zero, or begins a restart marker. */
function nextMarker(bytes: Buffer, from: number): number {
  let offset = bytes.indexOf(0xff, from)
  while (offset >= 0) {
    const marker = bytes[offset + 1] ?? 0
    if (marker !== 0 && !isAlone(marker)) return offset
    offset = bytes.indexOf(0xff, offset + 2)
  }
  return bytes.length
}
