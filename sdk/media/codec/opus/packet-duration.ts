import { MalformedError } from '../../errors.ts'

/** The longest packet plays for 120 ms (RFC 6716 section 3.2.5, R5). */
const MAX_OPUS_PACKET_SAMPLES = 5760

// Samples of 48 kHz in a frame, by the lowest two bits of the configuration (RFC 6716 table 2).
const SILK_FRAME_SAMPLES = [480, 960, 1920, 2880] as const
const HYBRID_FRAME_SAMPLES = [480, 960] as const
const CELT_FRAME_SAMPLES = [120, 240, 480, 960] as const

/**
 * Returns the duration of a packet, in samples of 48 kHz, from its table of contents:
 *
 *     config (5) | stereo (1) | code: 1 frame, 2 equal, 2 of different sizes, as many as the next byte says (2)
 *
 * @throws {MalformedError} when the packet is empty or plays for longer than Opus allows.
 */
export function opusPacketDuration(packet: Buffer): number {
  const contents = packet[0]
  if (contents === undefined) throw new MalformedError('empty Opus packet')
  const samples = frameSamples(contents >> 3) * frameCount(contents & 3, packet)
  if (samples === 0 || samples > MAX_OPUS_PACKET_SAMPLES) throw new MalformedError(`Opus packet of ${samples} samples`)
  return samples
}

function frameSamples(config: number): number {
  if (config < 12) return SILK_FRAME_SAMPLES[config & 3]!
  if (config < 16) return HYBRID_FRAME_SAMPLES[config & 1]!
  return CELT_FRAME_SAMPLES[config & 3]!
}

function frameCount(code: number, packet: Buffer): number {
  if (code === 0) return 1
  return code === 3 ? (packet[1] ?? 0) & 0x3f : 2
}
