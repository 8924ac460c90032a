import { ByteReader } from '../../bits/byte-reader.ts'
import { aacConfig } from '../../codec/aac/config.ts'
import { ac3Config } from '../../codec/ac3/config.ts'
import { av1Config } from '../../codec/av1/config.ts'
import { flacConfig } from '../../codec/flac/config.ts'
import { g711Config } from '../../codec/g711/config.ts'
import { h264Config } from '../../codec/h264/config.ts'
import { h265Config } from '../../codec/h265/config.ts'
import { mp3Config } from '../../codec/mp3/config.ts'
import { opusConfig } from '../../codec/opus/config.ts'
import { serializeOpusHead } from '../../codec/opus/opus-head.ts'
import { vp9Config } from '../../codec/vp9/config.ts'
import { MalformedError } from '../../errors.ts'
import type { AudioCodec, AudioConfig, VideoCodec, VideoConfig } from '../../track.ts'
import { bodyOf, readBoxes } from './demux-boxes.ts'
import type { ReadBox } from './demux-boxes.ts'

const VIDEO_FIELDS_SIZE_BYTES = 78
const AUDIO_FIELDS_SIZE_BYTES = 28
/** What QuickTime's newer sound descriptions have before their boxes, by version. */
const QUICKTIME_FIELDS_SIZE_BYTES = [0, 16, 36] as const

const ES_DESCRIPTOR = 3
const DECODER_CONFIG_DESCRIPTOR = 4
const DECODER_SPECIFIC_INFO = 5
const AAC_OBJECT_TYPES = [0x40, 0x66, 0x67, 0x68]
const MP3_OBJECT_TYPES = [0x69, 0x6b]

/** What a sample entry says; an audio codec whose frames describe themselves gets its configuration from the first. */
export type EntryFormat =
  | { readonly kind: 'video'; readonly codec: VideoCodec; readonly config: VideoConfig; readonly lengthSize: number }
  | { readonly kind: 'audio'; readonly codec: AudioCodec; configure(frame: Buffer): AudioConfig }

/**
 * Reads an entry of `stsd` (ISO/IEC 14496-12 8.5.2); undefined for a codec that no track can carry, or an encrypted one.
 * @throws {MalformedError} when it is broken.
 */
export function parseSampleEntry({ type, body }: ReadBox): EntryFormat | undefined {
  switch (type) {
    case 'avc1':
    case 'avc3':
      return videoFormat('h264', body, 'avcC', 4, h264Config)
    case 'hvc1':
    case 'hev1':
    case 'dvh1':
    case 'dvhe':
      return videoFormat('h265', body, 'hvcC', 21, h265Config)
    case 'av01':
      return videoFormat('av1', body, 'av1C', undefined, av1Config)
    case 'vp09':
      return videoFormat('vp9', body, 'vpcC', undefined, vp9Config)
    default:
      return audioFormat(type, body)
  }
}

function audioFormat(type: string, body: Buffer): EntryFormat | undefined {
  const config = (box: string) => required(box, bodyOf(audioBoxes(body), box))
  switch (type) {
    case 'mp4a':
      return mp4aFormat(body)
    case 'Opus':
      return configured('opus', opusConfig(opusHead(config('dOps'))))
    case 'fLaC':
      // A full box, whose one block has a header of its own.
      return configured('flac', flacConfig(config('dfLa').subarray(8, 42)))
    case 'ac-3':
      return { kind: 'audio', codec: 'ac3', configure: (frame) => ac3Config('ac3', frame) }
    case 'ec-3':
      return { kind: 'audio', codec: 'eac3', configure: (frame) => ac3Config('eac3', frame) }
    case '.mp3':
      return { kind: 'audio', codec: 'mp3', configure: mp3Config }
    case 'alaw':
      return g711Format('pcma', body)
    case 'ulaw':
      return g711Format('pcmu', body)
    default:
      return undefined
  }
}

/**
 * Units have lengths of 4 bytes, so the configuration says so, whatever the file has.
 * @param lengthOffset where the configuration has the size of lengths, less 1, in its lowest two bits
 */
function videoFormat(
  codec: VideoCodec,
  body: Buffer,
  box: string,
  lengthOffset: number | undefined,
  parse: (record: Buffer) => VideoConfig,
): EntryFormat {
  const fields = new ByteReader(body)
  fields.readBytes(24)
  const [width, height] = [fields.readUint(2), fields.readUint(2)]
  const record = required(box, bodyOf(readBoxes(body.subarray(VIDEO_FIELDS_SIZE_BYTES)), box))
  const lengthSize = lengthOffset === undefined ? 4 : ((record[lengthOffset] ?? 3) & 3) + 1
  const config = parse(lengthSize === 4 ? record : withLongLengths(record, lengthOffset ?? 0))
  // The sequence header is to be believed, where the record has one.
  return { kind: 'video', codec, lengthSize, config: config.width > 0 ? config : { ...config, width, height } }
}

function withLongLengths(record: Buffer, offset: number): Buffer {
  const copy = Buffer.from(record)
  copy[offset] = (copy[offset] ?? 0) | 3
  return copy
}

/** ISO/IEC 14496-14 5.6; the object type tells the codec. */
function mp4aFormat(body: Buffer): EntryFormat | undefined {
  const esds = required('esds', bodyOf(audioBoxes(body), 'esds'))
  const stream = descriptor(esds.subarray(4), ES_DESCRIPTOR)
  const fields = new ByteReader(stream)
  fields.readUint(2)
  const flags = fields.readUint(1)
  if ((flags & 0x80) !== 0) fields.readUint(2)
  if ((flags & 0x40) !== 0) fields.readBytes(fields.readUint(1))
  if ((flags & 0x20) !== 0) fields.readUint(2)
  const decoder = descriptor(fields.readBytes(fields.bytesLeft), DECODER_CONFIG_DESCRIPTOR)
  const objectType = decoder[0] ?? 0
  if (MP3_OBJECT_TYPES.includes(objectType)) return { kind: 'audio', codec: 'mp3', configure: mp3Config }
  if (!AAC_OBJECT_TYPES.includes(objectType)) return undefined
  return configured('aac', aacConfig(descriptor(decoder.subarray(13), DECODER_SPECIFIC_INFO)))
}

/** The body of a descriptor (ISO/IEC 14496-1 8.3.3), which is the first there. */
function descriptor(bytes: Buffer, tag: number): Buffer {
  const reader = new ByteReader(bytes)
  const found = reader.readUint(1)
  if (found !== tag) throw new MalformedError(`descriptor ${found} in place of ${tag}`)
  let sizeBytes = 0
  for (let count = 0; count < 4; count++) {
    const byte = reader.readUint(1)
    sizeBytes = sizeBytes * 128 + (byte & 0x7f)
    if (byte < 0x80) break
  }
  return reader.readBytes(sizeBytes)
}

/** `dOps`, an OpusHead in big-endian and without its magic, as the header that tracks have. */
function opusHead(body: Buffer): Buffer {
  const reader = new ByteReader(body)
  reader.readUint(1)
  const [channels, preSkip, inputSampleRate] = [reader.readUint(1), reader.readUint(2), reader.readUint(4)]
  const gain = reader.readUint(2)
  const outputGain = gain > 0x7fff ? gain - 0x1_0000 : gain
  const mappingFamily = reader.readUint(1)
  const head = { version: 1, channels, preSkip, inputSampleRate, outputGain, mappingFamily }
  if (mappingFamily === 0) return serializeOpusHead({ ...head, mapping: undefined })
  const [streamCount, coupledCount] = [reader.readUint(1), reader.readUint(1)]
  const mapping = { streamCount, coupledCount, channels: [...reader.readBytes(channels)] }
  return serializeOpusHead({ ...head, mapping })
}

function g711Format(codec: 'pcma' | 'pcmu', body: Buffer): EntryFormat {
  const fields = new ByteReader(body)
  fields.readBytes(16)
  const channels = fields.readUint(2)
  fields.readBytes(6)
  return configured(codec, g711Config(codec, fields.readUint(2), channels))
}

function configured(codec: AudioCodec, config: AudioConfig): EntryFormat {
  return { kind: 'audio', codec, configure: () => config }
}

function audioBoxes(body: Buffer): ReadBox[] {
  const version = body.length < 10 ? 0 : body.readUInt16BE(8)
  return readBoxes(body.subarray(AUDIO_FIELDS_SIZE_BYTES + (QUICKTIME_FIELDS_SIZE_BYTES[version] ?? 0)))
}

function required(type: string, body: Buffer | undefined): Buffer {
  if (body === undefined) throw new MalformedError(`sample entry without '${type}'`)
  return body
}
