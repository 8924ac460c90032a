import { ByteReader } from '../../../bits/byte-reader.ts'
import { MalformedError } from '../../../errors.ts'
import { fullBox, parseFullBox, type Box } from '../box.ts'
import { uint32, uint8 } from './fields.ts'

/** `esds` (ISO/IEC 14496-14 5.6), with the descriptors of ISO/IEC 14496-1 7.2.6. */
export type ElementaryStream = {
  /** The object type indication, which names the codec: 0x40 is AAC. */
  readonly objectType: number
  /** The configuration of the decoder, such as an AudioSpecificConfig; empty when it needs none. */
  readonly specificInfo: Buffer
}

const ES_DESCRIPTOR = 3
const DECODER_CONFIG_DESCRIPTOR = 4
const DECODER_SPECIFIC_INFO = 5
const SYNC_LAYER_DESCRIPTOR = 6
const AUDIO_STREAM = 0x15
const SYNC_LAYER_OF_MP4 = 2
/** Stream type, buffer size and the two bitrates, between the object type and the specific info. */
const DECODER_FIELDS_SIZE_BYTES = 12
/** Flags of the ES descriptor: fields that follow its head. */
const ES_FLAG = { dependsOn: 0x80, url: 0x40, clockReference: 0x20 } as const
const MAX_LENGTH_SIZE_BYTES = 4

/** Bitrates are left unknown. */
export function serializeElementaryStream({ objectType, specificInfo }: ElementaryStream): Box {
  const info = specificInfo.length > 0 ? serializeDescriptor(DECODER_SPECIFIC_INFO, [specificInfo]) : Buffer.alloc(0)
  const decoderFields = [uint8(objectType, AUDIO_STREAM, 0, 0, 0), uint32(0, 0), info]
  const decoder = serializeDescriptor(DECODER_CONFIG_DESCRIPTOR, decoderFields)
  const syncLayer = serializeDescriptor(SYNC_LAYER_DESCRIPTOR, [uint8(SYNC_LAYER_OF_MP4)])
  return fullBox('esds', 0, 0, [serializeDescriptor(ES_DESCRIPTOR, [uint8(0, 0, 0), decoder, syncLayer])])
}

/** @throws {MalformedError} when it ends early, or a descriptor is not where it belongs. */
export function parseElementaryStream(body: Buffer): ElementaryStream {
  const { fields } = parseFullBox(body)
  const stream = new ByteReader(parseDescriptor(fields.readBytes(fields.bytesLeft), ES_DESCRIPTOR))
  stream.readUint(2)
  const flags = stream.readUint(1)
  if ((flags & ES_FLAG.dependsOn) !== 0) stream.readUint(2)
  if ((flags & ES_FLAG.url) !== 0) stream.readBytes(stream.readUint(1))
  if ((flags & ES_FLAG.clockReference) !== 0) stream.readUint(2)
  const decoder = new ByteReader(parseDescriptor(stream.readBytes(stream.bytesLeft), DECODER_CONFIG_DESCRIPTOR))
  const objectType = decoder.readUint(1)
  decoder.readBytes(DECODER_FIELDS_SIZE_BYTES)
  const info = decoder.readBytes(decoder.bytesLeft)
  const specificInfo =
    info[0] === DECODER_SPECIFIC_INFO ? parseDescriptor(info, DECODER_SPECIFIC_INFO) : Buffer.alloc(0)
  return { objectType, specificInfo }
}

/** Sizes are written in four bytes of seven bits, which all readers take (ISO/IEC 14496-1 8.3.3). */
function serializeDescriptor(tag: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = [length >> 21, length >> 14, length >> 7].map((bits) => 0x80 | (bits & 0x7f))
  return Buffer.concat([uint8(tag, ...size, length & 0x7f), body])
}

/** The body of the first descriptor, which must be of the tag given. */
function parseDescriptor(bytes: Buffer, tag: number): Buffer {
  const reader = new ByteReader(bytes)
  const found = reader.readUint(1)
  if (found !== tag) throw new MalformedError(`descriptor ${found} in place of ${tag}`)
  let sizeBytes = 0
  for (let count = 0; count < MAX_LENGTH_SIZE_BYTES; count++) {
    const byte = reader.readUint(1)
    sizeBytes = sizeBytes * 128 + (byte & 0x7f)
    if (byte < 0x80) break
  }
  return reader.readBytes(sizeBytes)
}
