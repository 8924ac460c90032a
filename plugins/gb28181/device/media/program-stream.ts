import { joinAnnexB, PsMuxer, splitAnnexB, type AccessUnit, type MediaTrack } from 'sluice/sdk/media'
import type { Quirks } from '../quirks.ts'

/** A part of a program stream: its start code's last byte tells what it is. */
type Part = { readonly id: number; readonly bytes: Buffer }

const ID = { pack: 0xba, systemHeader: 0xbb, map: 0xbc, privateStream: 0xbd, padding: 0xbe, firstVideo: 0xe0 } as const
const PACK_SIZE_BYTES = 14
const PREFIX_SIZE_BYTES = 6
const FLAGS_END_BYTES = 9
const MAX_LENGTH = 0xffff
const STUFFING_BYTES = 5
const TYPES = { h264: 0x1b, h265: 0x24 } as const
/** The first entry of a map: behind the prefix, flags, and lengths. */
const FIRST_ENTRY_OFFSET = 12
/** Private data, as devices of some vendors send it with their pictures. */
const PRIVATE_DATA = Buffer.from('private data of a device, which nobody can read')

/** Makes a program stream of units (GB/T 28181-2022 annex C.1), with the quirks of a device. */
export class ProgramStream {
  readonly #muxer = new PsMuxer()
  readonly #quirks: Quirks
  #hasMap = false
  #count = 0

  constructor(tracks: readonly MediaTrack[], quirks: Quirks) {
    this.#muxer.start(tracks)
    this.#quirks = quirks
  }

  /** The pack of a unit. */
  pack(unit: AccessUnit): Buffer {
    const bytes = this.#muxer.mux(this.#withTimes(unit))
    const quirks = this.#quirks
    this.#count += 1
    let parts = partsOf(bytes)
    if (quirks.has('lying-psm')) parts = parts.map(withOtherCodec)
    if (quirks.has('no-psm') || (quirks.has('psm-once') && this.#hasMap)) {
      parts = parts.filter(({ id }) => id !== ID.map && id !== ID.systemHeader)
    }
    this.#hasMap ||= parts.some(({ id }) => id === ID.map)
    if (unit.track.kind === 'video' && quirks.has('slices')) parts = inSlices(parts)
    if (unit.track.kind === 'video' && quirks.has('long-pes')) parts = inLongPackets(parts)
    if (quirks.has('private-pes'))
      parts = [...parts, { id: ID.privateStream, bytes: pes(ID.privateStream, PRIVATE_DATA) }]
    if (quirks.has('stuffing')) parts = stuffed(parts)
    return Buffer.concat(parts.map((part) => part.bytes))
  }

  /** Sound whose times jump by two seconds and back, as of a device that sets them by two clocks. */
  #withTimes(unit: AccessUnit): AccessUnit {
    if (unit.track.kind !== 'audio' || !this.#quirks.has('jumping-audio-times')) return unit
    const jump = this.#count % 100 < 50 ? 0 : 2 * unit.track.timescale
    return unit.at(unit.track, unit.dts + jump, unit.pts + jump)
  }
}

/** The sizes of the packs of units in bytes, one after another in a stream without quirks. */
export function packSizes(tracks: readonly MediaTrack[], units: readonly AccessUnit[]): number[] {
  const muxer = new PsMuxer()
  muxer.start(tracks)
  return units.map((unit) => muxer.mux(unit).length)
}

/** Cuts a pack of the muxer, in which every packet states its length. */
function partsOf(bytes: Buffer): Part[] {
  const parts: Part[] = []
  for (let at = 0; at < bytes.length;) {
    const id = bytes[at + 3]!
    const size = id === ID.pack ? PACK_SIZE_BYTES : PREFIX_SIZE_BYTES + bytes.readUInt16BE(at + 4)
    parts.push({ id, bytes: bytes.subarray(at, at + size) })
    at += size
  }
  return parts
}

function withOtherCodec(part: Part): Part {
  if (part.id !== ID.map) return part
  const bytes = Buffer.from(part.bytes)
  const type = bytes[FIRST_ENTRY_OFFSET]
  if (type === TYPES.h264) bytes[FIRST_ENTRY_OFFSET] = TYPES.h265
  if (type === TYPES.h265) bytes[FIRST_ENTRY_OFFSET] = TYPES.h264
  return { ...part, bytes }
}

/** The packets of a picture apart from what comes before them: the header of the first, and their data. */
function pictureOf(parts: readonly Part[]) {
  const packets = parts.filter(({ id }) => id >= ID.firstVideo)
  const data = Buffer.concat(packets.map(({ bytes }) => bytes.subarray(headerSize(bytes))))
  const first = packets[0]!.bytes
  return {
    before: parts.filter(({ id }) => id < ID.firstVideo),
    id: packets[0]!.id,
    /** The flags and times of the first packet. */
    fields: first.subarray(PREFIX_SIZE_BYTES, headerSize(first)),
    data,
  }
}

function inSlices(parts: readonly Part[]): Part[] {
  const { before, id, fields, data } = pictureOf(parts)
  // Such devices send no delimiters.
  const nalus = splitAnnexB(data).filter((nalu) => !DELIMITERS.some((start) => nalu.subarray(0, 1).equals(start)))
  const packets = nalus.flatMap((nalu, index) =>
    cut(id, index === 0 ? fields : PLAIN_FIELDS, joinAnnexB([nalu]), MAX_LENGTH - fields.length),
  )
  return [...before, ...packets]
}

function inLongPackets(parts: readonly Part[]): Part[] {
  const { before, id, fields, data } = pictureOf(parts)
  const first = cut(id, fields, data.subarray(0, MAX_LENGTH - fields.length), MAX_LENGTH)
  const rest = data.subarray(MAX_LENGTH - fields.length)
  return [...before, ...first, ...cut(id, PLAIN_FIELDS, rest, MAX_LENGTH - PLAIN_FIELDS.length)]
}

/** The first bytes of delimiters of H.264 and H.265. */
const DELIMITERS = [Buffer.of(0x09), Buffer.of(0x46)]
/** No times. */
const PLAIN_FIELDS = Buffer.of(0x80, 0, 0)

/** Packets of data, of which the first has these fields. */
function cut(id: number, fields: Buffer, data: Buffer, maxSize: number): Part[] {
  const packets: Part[] = []
  for (let at = 0; at < data.length; at += maxSize) {
    packets.push({ id, bytes: pes(id, data.subarray(at, at + maxSize), at === 0 ? fields : PLAIN_FIELDS) })
  }
  return packets
}

function stuffed(parts: readonly Part[]): Part[] {
  const padding = { id: ID.padding, bytes: pes(ID.padding, Buffer.alloc(20, 0xff), Buffer.alloc(0)) }
  return [
    ...parts.map((part) => {
      if (part.id !== ID.pack) return part
      const bytes = Buffer.concat([part.bytes, Buffer.alloc(STUFFING_BYTES, 0xff)])
      bytes[PACK_SIZE_BYTES - 1] = 0xf8 | STUFFING_BYTES
      return { ...part, bytes }
    }),
    padding,
  ]
}

function pes(id: number, data: Buffer, fields: Buffer = PLAIN_FIELDS): Buffer {
  const head = Buffer.of(0, 0, 1, id, 0, 0)
  head.writeUInt16BE(fields.length + data.length, 4)
  return Buffer.concat([head, fields, data])
}

function headerSize(bytes: Buffer): number {
  return FLAGS_END_BYTES + bytes[FLAGS_END_BYTES - 1]!
}
