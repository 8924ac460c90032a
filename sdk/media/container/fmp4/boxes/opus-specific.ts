import { ByteReader } from '../../../bits/byte-reader.ts'
import { parseOpusHead, serializeOpusHead } from '../../../codec/opus/opus-head.ts'
import type { Box } from '../box.ts'
import { uint16, uint32, uint8 } from './fields.ts'

const VERSION = 0

/**
 * `dOps` of an OpusHead (Encapsulation of Opus in ISOBMFF 4.3.2): the same fields without the magic, in big-endian.
 * @throws {MalformedError} when the OpusHead is broken.
 */
export function serializeOpusSpecific(opusHead: Buffer): Box {
  const { channels, preSkip, inputSampleRate, outputGain, mappingFamily, mapping } = parseOpusHead(opusHead)
  const fields = [uint8(VERSION, channels), uint16(preSkip), uint32(inputSampleRate), uint16(outputGain & 0xffff)]
  const layout = mapping ? [uint8(mapping.streamCount, mapping.coupledCount, ...mapping.channels)] : []
  return { type: 'dOps', contents: [...fields, uint8(mappingFamily), ...layout] }
}

/** The OpusHead of a `dOps`. @throws {MalformedError} when it ends early. */
export function parseOpusSpecific(body: Buffer): Buffer {
  const fields = new ByteReader(body)
  fields.readUint(1)
  const [channels, preSkip, inputSampleRate] = [fields.readUint(1), fields.readUint(2), fields.readUint(4)]
  const gain = fields.readUint(2)
  const outputGain = gain > 0x7fff ? gain - 0x1_0000 : gain
  const mappingFamily = fields.readUint(1)
  const head = { version: 1, channels, preSkip, inputSampleRate, outputGain, mappingFamily }
  if (mappingFamily === 0) return serializeOpusHead({ ...head, mapping: undefined })
  const [streamCount, coupledCount] = [fields.readUint(1), fields.readUint(1)]
  const mapping = { streamCount, coupledCount, channels: [...fields.readBytes(channels)] }
  return serializeOpusHead({ ...head, mapping })
}
