import { parseOpusHead, serializeOpusHead } from '../../codec/opus/opus-head.ts'
import type { OpusHead } from '../../codec/opus/opus-head.ts'
import { OPUS_SAMPLE_RATE } from '../../codec/opus/config.ts'
import type { TsDescriptor } from './program-tables.ts'

/** The extension descriptor of DVB (ETSI EN 300 468 6.1), and the extension that Opus uses. */
const EXTENSION_TAG = 0x7f
const OPUS_EXTENSION = 0x80

const DUAL_MONO = 0
const DUAL_MONO_FAMILY = 255

/** Channel layouts by their code: streams, the coupled ones among them, and each channel's place (RFC 7845 5.1.1.2). */
const LAYOUTS = [
  { streamCount: 2, coupledCount: 0, channels: [0, 1] },
  { streamCount: 1, coupledCount: 0, channels: [0] },
  { streamCount: 1, coupledCount: 1, channels: [0, 1] },
  { streamCount: 2, coupledCount: 1, channels: [0, 2, 1] },
  { streamCount: 2, coupledCount: 2, channels: [0, 1, 2, 3] },
  { streamCount: 3, coupledCount: 2, channels: [0, 4, 1, 2, 3] },
  { streamCount: 4, coupledCount: 2, channels: [0, 4, 1, 2, 3, 5] },
  { streamCount: 4, coupledCount: 3, channels: [0, 4, 1, 2, 3, 5, 6] },
  { streamCount: 5, coupledCount: 3, channels: [0, 6, 1, 2, 3, 4, 5, 7] },
] as const

/**
 * The descriptor of an OpusHead: one code for the layout of its channels, 0 for dual mono, otherwise their number
 * ("Opus in MPEG-TS", opus-codec.org draft 0.1.3).
 * @returns undefined for layouts that have no code.
 */
export function opusDescriptor(record: Buffer): TsDescriptor | undefined {
  const head = parseOpusHead(record)
  const code = LAYOUTS.findIndex((_, code) => sameLayout(head, code))
  return code < 0 ? undefined : { tag: EXTENSION_TAG, data: Buffer.of(OPUS_EXTENSION, code) }
}

/**
 * The OpusHead that the descriptors of a stream stand for.
 * @returns undefined without a descriptor of Opus, or for a layout without a code.
 */
export function opusHeadOf(descriptors: readonly TsDescriptor[]): Buffer | undefined {
  const found = descriptors.find(({ tag, data }) => tag === EXTENSION_TAG && data[0] === OPUS_EXTENSION)
  const code = found?.data[1]
  return code === undefined || !LAYOUTS[code] ? undefined : serializeOpusHead(headOf(code))
}

function headOf(code: number): OpusHead {
  const { streamCount, coupledCount, channels } = LAYOUTS[code]!
  const mappingFamily = code === DUAL_MONO ? DUAL_MONO_FAMILY : channels.length > 2 ? 1 : 0
  return {
    version: 1,
    channels: channels.length,
    // A receiver that joins has nothing to drop: trimming is signalled within the stream.
    preSkip: 0,
    inputSampleRate: OPUS_SAMPLE_RATE,
    outputGain: 0,
    mappingFamily,
    mapping: mappingFamily === 0 ? undefined : { streamCount, coupledCount, channels },
  }
}

function sameLayout({ mappingFamily, channels, mapping }: OpusHead, code: number): boolean {
  const other = headOf(code)
  if (mapping === undefined) return other.mapping === undefined && other.channels === channels
  if (other.mapping === undefined || mappingFamily !== other.mappingFamily || channels !== other.channels) return false
  const { streamCount, coupledCount } = other.mapping
  if (mapping.streamCount !== streamCount || mapping.coupledCount !== coupledCount) return false
  return mapping.channels.every((channel, index) => channel === other.mapping?.channels[index])
}
