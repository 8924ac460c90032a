/** The place in the page that its address names: a device, or a channel of one. */
export type Place = { readonly deviceId?: string; readonly channelId?: string }

const PAGE = '/gb28181/devices'

/** Reads the rest of the address below the page. */
export function placeOf(path: string): Place {
  const [deviceId = '', channelId = ''] = path.split('/')
  if (deviceId === '') return {}
  return channelId === '' ? { deviceId } : { deviceId, channelId }
}

/** The address of a place in the console. */
export function addressOf({ deviceId, channelId }: Place): string {
  return [PAGE, deviceId, channelId]
    .flatMap((part, index) => (part === undefined ? [] : index === 0 ? part : encodeURIComponent(part)))
    .join('/')
}
