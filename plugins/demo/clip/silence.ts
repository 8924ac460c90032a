import { BitWriter } from 'sluice/sdk/media'

export const SILENCE = {
  sampleRate: 48_000,
  samplesPerFrame: 1024,
  /** AudioSpecificConfig (ISO/IEC 14496-3 1.6.2.1): AAC-LC, 48 kHz, mono. */
  config: Buffer.from([0x11, 0x88]),
} as const

const ID_SCE = 0
const ID_END = 7

/** A raw_data_block of AAC-LC (ISO/IEC 14496-3 4.4.2.1): one channel, without a single scale factor band. */
export function serializeSilence(): Buffer {
  const writer = new BitWriter()
  writer.writeBits(ID_SCE, 3)
  // element_instance_tag, global_gain.
  writer.writeBits(0, 4)
  writer.writeBits(0, 8)
  // ics_info: reserved bit, a long window, its shape, max_sfb, no prediction.
  writer.writeBits(0, 1 + 2 + 1 + 6 + 1)
  // pulse_data_present, tns_data_present, gain_control_data_present.
  writer.writeBits(0, 3)
  writer.writeBits(ID_END, 3)
  return writer.toBuffer()
}
