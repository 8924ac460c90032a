import { h264ConfigFromParameterSets } from 'sluice/sdk/media'

const SPS = Buffer.from('6764000dacd94141fb011000000300100000030320f1429960', 'hex')
const PPS = Buffer.from('68ebe3cb22c0', 'hex')

export function box(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([u32(body.length + 8), Buffer.from(type, 'latin1'), body])
}

export function fullBox(type: string, ...parts: readonly Buffer[]): Buffer {
  return box(type, u32(0), ...parts)
}

export function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2)
  return bytes
}

/** A sample entry of H.264. */
export function videoEntry(): Buffer {
  const { record } = h264ConfigFromParameterSets(SPS, PPS)
  return box('avc1', Buffer.alloc(24), u16(320, 240), Buffer.alloc(50), box('avcC', record))
}

/** A sample entry of A-law with samples of one byte. */
export function audioEntry(sampleRate: number): Buffer {
  return box('alaw', Buffer.alloc(16), u16(1, 16, 0, 0, sampleRate, 0))
}

/** A slice of one byte of data, of a keyframe or another picture. */
export function picture(keyframe: boolean, index: number): Buffer {
  const nalu = Buffer.from([keyframe ? 0x65 : 0x41, 0x88, index & 0xff, index >> 8, 1])
  return Buffer.concat([u32(nalu.length), nalu])
}

export type TrackBoxes = {
  readonly id: number
  readonly handler: 'vide' | 'soun'
  readonly timescale: number
  readonly entry: Buffer
  readonly tables: readonly Buffer[]
  readonly edits?: Buffer
}

export function trackBox({ id, handler, timescale, entry, tables, edits = Buffer.alloc(0) }: TrackBoxes): Buffer {
  const header = fullBox('tkhd', u32(0, 0, id), Buffer.alloc(68))
  const media = fullBox('mdhd', u32(0, 0, timescale, 0), u16(0x55c4, 0))
  const kind = fullBox('hdlr', u32(0), Buffer.from(handler), Buffer.alloc(13))
  const table = box('stbl', fullBox('stsd', u32(1), entry), ...tables)
  return box('trak', header, edits, box('mdia', media, kind, box('minf', table)))
}
