import { MalformedError } from '../../errors.ts'

/** The kinds of channel layouts, Enhanced RTMP v2 "AudioChannelOrder". */
export type FlvMultichannelConfig =
  /** Only the count is known. */
  | { readonly order: 'unspecified'; readonly channels: number }
  /** Channels in the order of the bits of AudioChannelMask. */
  | { readonly order: 'native'; readonly channels: number; readonly mask: number }
  /** One AudioChannel value a channel. */
  | { readonly order: 'custom'; readonly channels: number; readonly mapping: readonly number[] }

/**
 * Reads the data of a `multichannelConfig` audio packet.
 * @throws {MalformedError} when it is cut off or the order is unknown.
 */
export function parseMultichannelConfig(data: Buffer): FlvMultichannelConfig {
  if (data.length < 2) throw new MalformedError(`FLV: a channel configuration of ${data.length} bytes`)
  const channels = data[1]!
  const map = data.subarray(2)
  switch (data[0]) {
    case 0:
      return { order: 'unspecified', channels }
    case 1:
      if (map.length < 4) throw new MalformedError(`FLV: a channel mask of ${map.length} bytes`)
      return { order: 'native', channels, mask: map.readUInt32BE(0) }
    case 2:
      if (map.length < channels) throw new MalformedError(`FLV: ${map.length} of ${channels} channels are mapped`)
      return { order: 'custom', channels, mapping: [...map.subarray(0, channels)] }
    default:
      throw new MalformedError(`FLV: channel order ${data[0]}`)
  }
}
