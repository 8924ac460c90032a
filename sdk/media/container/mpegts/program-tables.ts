import { ByteReader } from '../../bits/byte-reader.ts'
import { TS_MAX_PID } from './packet.ts'
import type { TsSection } from './section.ts'

export const TS_PAT_TABLE_ID = 0
export const TS_PMT_TABLE_ID = 2

const PROGRAM_SIZE_BYTES = 4
const RESERVED_PID_BITS = 0xe000
const RESERVED_LENGTH_BITS = 0xf000
const LENGTH_MASK = 0xfff

/** A program of a PAT (ISO/IEC 13818-1 2.4.4.3). */
export type TsProgram = {
  /** The number of the program; 0 stands for the table of the network. */
  readonly programNumber: number
  /** The PID of its PMT. */
  readonly pid: number
}

/** A descriptor of a program or stream (2.6). */
export type TsDescriptor = { readonly tag: number; readonly data: Buffer }

/** One elementary stream of a PMT (2.4.4.8). */
export type TsStreamEntry = {
  readonly streamType: number
  readonly pid: number
  readonly descriptors: readonly TsDescriptor[]
}

/** The content of a PMT. */
export type TsProgramMap = {
  /** The PID of the clock; 0x1fff when there is none. */
  readonly pcrPid: number
  readonly descriptors: readonly TsDescriptor[]
  readonly streams: readonly TsStreamEntry[]
}

/** Reads the body of a PAT. @throws {MalformedError} when it ends early. */
export function parsePat({ body }: TsSection): TsProgram[] {
  const reader = new ByteReader(body)
  const programs: TsProgram[] = []
  while (reader.bytesLeft > 0) {
    programs.push({ programNumber: reader.readUint(2), pid: reader.readUint(2) & TS_MAX_PID })
  }
  return programs
}

export function serializePat(programs: readonly TsProgram[]): Buffer {
  const body = Buffer.alloc(programs.length * PROGRAM_SIZE_BYTES)
  for (const [index, { programNumber, pid }] of programs.entries()) {
    body.writeUInt16BE(programNumber, index * PROGRAM_SIZE_BYTES)
    body.writeUInt16BE(RESERVED_PID_BITS | pid, index * PROGRAM_SIZE_BYTES + 2)
  }
  return body
}

/** Reads the body of a PMT; data of descriptors are views. @throws {MalformedError} when a length is wrong. */
export function parsePmt({ body }: TsSection): TsProgramMap {
  const reader = new ByteReader(body)
  const pcrPid = reader.readUint(2) & TS_MAX_PID
  const descriptors = readDescriptors(reader)
  const streams: TsStreamEntry[] = []
  while (reader.bytesLeft > 0) {
    const streamType = reader.readUint(1)
    const pid = reader.readUint(2) & TS_MAX_PID
    streams.push({ streamType, pid, descriptors: readDescriptors(reader) })
  }
  return { pcrPid, descriptors, streams }
}

export function serializePmt({ pcrPid, descriptors, streams }: TsProgramMap): Buffer {
  const parts = [uint16(RESERVED_PID_BITS | pcrPid), ...descriptorLoop(descriptors)]
  for (const stream of streams) {
    parts.push(Buffer.of(stream.streamType), uint16(RESERVED_PID_BITS | stream.pid))
    parts.push(...descriptorLoop(stream.descriptors))
  }
  return Buffer.concat(parts)
}

function readDescriptors(outer: ByteReader): TsDescriptor[] {
  const reader = new ByteReader(outer.readBytes(outer.readUint(2) & LENGTH_MASK))
  const descriptors: TsDescriptor[] = []
  while (reader.bytesLeft > 0) {
    const tag = reader.readUint(1)
    descriptors.push({ tag, data: reader.readBytes(reader.readUint(1)) })
  }
  return descriptors
}

function descriptorLoop(descriptors: readonly TsDescriptor[]): Buffer[] {
  const bytes = Buffer.concat(descriptors.flatMap(({ tag, data }) => [Buffer.of(tag, data.length), data]))
  return [uint16(RESERVED_LENGTH_BITS | bytes.length), bytes]
}

function uint16(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff)
}
