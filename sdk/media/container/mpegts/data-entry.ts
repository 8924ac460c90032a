import { ByteReader } from '../../bits/byte-reader.ts'
import { tryParse } from '../../codec/try-parse.ts'
import type { DataTrack, Track } from '../../track.ts'
import type { TsDescriptor, TsStreamEntry } from './program-tables.ts'

/** The codecs of data that MPEG-TS has a place for. */
export type TsDataCodec = 'klv' | 'scte35'

/** A track of data that MPEG-TS has a place for. */
export type TsDataTrack = DataTrack & { readonly codec: TsDataCodec }

/** Private data in PES packets; metadata in PES packets (ISO/IEC 13818-1 table 2-34); ANSI/SCTE 35 8.1. */
const STREAM_TYPE = { privateData: 0x06, metadata: 0x15, spliceInfo: 0x86 } as const
const DESCRIPTOR_TAG = { registration: 0x05, metadata: 0x26, metadataStd: 0x27 } as const

const KLV_IDENTIFIER = 'KLVA'
const SPLICE_IDENTIFIER = 'CUEI'
/** Blu-ray gives the number of splice information to DTS. */
const BLU_RAY_IDENTIFIER = 'HDMV'

const IDENTIFIED_APPLICATION = 0xffff
const IDENTIFIED_FORMAT = 0xff

/**
 * The configuration record of a track of synchronous KLV: a metadata descriptor (ISO/IEC 13818-1 2.6.60) of application
 * format 0x0100, format `KLVA` and service 0, as MISB ST 1402 asks for. Asynchronous KLV has an empty record.
 */
export const TS_SYNCHRONOUS_KLV: Buffer = Buffer.from('0100ff4b4c5641000f', 'hex')
/** Rates and sizes of buffers (2.6.62), which are left open. */
const METADATA_STD = Buffer.from('c00000c00000c00000', 'hex')

/** Returns the codec of a stream's data; undefined when it is unknown. */
export function tsDataCodecOf(
  { streamType, descriptors }: TsStreamEntry,
  program: readonly TsDescriptor[],
): TsDataCodec | undefined {
  switch (streamType) {
    case STREAM_TYPE.privateData:
      return isRegistered(descriptors, KLV_IDENTIFIER) ? 'klv' : undefined
    case STREAM_TYPE.metadata:
      return isRegistered(descriptors, KLV_IDENTIFIER) || hasKlvMetadata(descriptors) ? 'klv' : undefined
    case STREAM_TYPE.spliceInfo:
      return isRegistered(program, BLU_RAY_IDENTIFIER) ? undefined : 'scte35'
    default:
      return undefined
  }
}

/** Returns true when KLV lies in access unit cells of metadata, and has times of its own. */
export function isSynchronousKlv({ streamType }: TsStreamEntry): boolean {
  return streamType === STREAM_TYPE.metadata
}

/** Returns true when MPEG-TS can carry a track of data: KLV and SCTE 35. */
export function canCarryDataInTs(track: Track): track is TsDataTrack {
  return track.kind === 'data' && (track.codec === 'klv' || track.codec === 'scte35')
}

/** Returns the entry of a stream of data in the PMT. */
export function tsDataEntry({ codec, config }: TsDataTrack): Omit<TsStreamEntry, 'pid'> {
  if (codec === 'scte35') return { streamType: STREAM_TYPE.spliceInfo, descriptors: [] }
  const descriptors = [registration(KLV_IDENTIFIER)]
  if (config.record.length === 0) return { streamType: STREAM_TYPE.privateData, descriptors }
  const metadata = { tag: DESCRIPTOR_TAG.metadata, data: TS_SYNCHRONOUS_KLV }
  const buffers = { tag: DESCRIPTOR_TAG.metadataStd, data: METADATA_STD }
  return { streamType: STREAM_TYPE.metadata, descriptors: [...descriptors, metadata, buffers] }
}

/** Returns the descriptors of the whole program in the PMT, which announce splice information (ANSI/SCTE 35 8.1). */
export function tsProgramDescriptors(tracks: readonly Track[]): TsDescriptor[] {
  return tracks.some(({ codec }) => codec === 'scte35') ? [registration(SPLICE_IDENTIFIER)] : []
}

function registration(identifier: string): TsDescriptor {
  return { tag: DESCRIPTOR_TAG.registration, data: Buffer.from(identifier, 'latin1') }
}

function isRegistered(descriptors: readonly TsDescriptor[], identifier: string): boolean {
  return descriptors.some(
    ({ tag, data }) => tag === DESCRIPTOR_TAG.registration && data.toString('latin1', 0, 4) === identifier,
  )
}

function hasKlvMetadata(descriptors: readonly TsDescriptor[]): boolean {
  const found = descriptors.find(({ tag }) => tag === DESCRIPTOR_TAG.metadata)
  return tryParse(metadataFormatOf, found?.data) === KLV_IDENTIFIER
}

function metadataFormatOf(bytes: Buffer): string | undefined {
  const reader = new ByteReader(bytes)
  if (reader.readUint(2) === IDENTIFIED_APPLICATION) reader.readBytes(4)
  return reader.readUint(1) === IDENTIFIED_FORMAT ? reader.readBytes(4).toString('latin1') : undefined
}
