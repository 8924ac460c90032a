import type { GbChannel, GbDeviceOptions } from './device-options.ts'

/** The types of cameras in ids (annex E). */
const CHANNEL_TYPES = ['131', '132']
/** The serial numbers that the channels of a device begin at are apart by so much. */
const MADE_CHANNELS = 100
const MAX_SERIAL = 1_000_000

/** The channels that are listed, or so many with ids that follow the device's. */
export function channelsOf({ id, channels = 1 }: GbDeviceOptions): readonly GbChannel[] {
  if (typeof channels !== 'number') return channels
  const [region, type, network, serial] = [id.slice(0, 10), id.slice(10, 13), id.slice(13, 14), Number(id.slice(14))]
  // No channel has the id of a device.
  const channelType = CHANNEL_TYPES.find((other) => other !== type) ?? ''
  return Array.from({ length: channels }, (_, index) => {
    const number = (serial * MADE_CHANNELS + index + 1) % MAX_SERIAL
    return { id: `${region}${channelType}${network}${String(number).padStart(6, '0')}`, name: `Channel ${index + 1}` }
  })
}
