/** A channel: a camera of a device, or one that an operator has added. Plain data, which generations of the plugin share. */
export type Channel = {
  readonly deviceId: string
  readonly channelId: string
  parentId: string
  name: string
  manufacturer: string
  model: string
  owner: string
  civilCode: string
  block: string
  address: string
  parental: number
  safetyWay: number
  registerWay: number
  certNum: string
  certifiable: number
  errCode: number
  endTime: string
  secrecy: number
  ipAddress: string
  port: number
  password: string
  ptzType: number
  positionType: number
  roomType: number
  useType: number
  supplyLightType: number
  directionType: number
  resolution: string
  businessGroupId: string
  downloadSpeed: string
  svcSpaceSupportMod: number
  svcTimeSupportMode: number
  isOn: boolean
  longitude: string
  latitude: string
  /** The time at which its position was told last, in Unix milliseconds; 0 for never. */
  positionMs: number
  /** The id and the name that an operator has given it; empty without. */
  customChannelId: string
  customName: string
  /** The stream that is played in place of the device's own; empty: the device's. */
  streamPath: string
  /** True for a channel that an operator has added, and no catalog. */
  isCustom: boolean
  /** True when the device's sound is fetched with the pictures. */
  hasAudio: boolean
  /** 0 for the main stream, 1 for the second one. */
  streamNumber: number
  updatedMs: number
}

/** Fields that a catalog sets. */
export type CatalogFields = Partial<
  Omit<
    Channel,
    | 'deviceId'
    | 'channelId'
    | 'customChannelId'
    | 'customName'
    | 'streamPath'
    | 'isCustom'
    | 'hasAudio'
    | 'streamNumber'
  >
>

export function newChannel(deviceId: string, channelId: string, fields: Partial<Channel> = {}): Channel {
  return {
    parentId: '',
    name: '',
    manufacturer: '',
    model: '',
    owner: '',
    civilCode: '',
    block: '',
    address: '',
    parental: 0,
    safetyWay: 0,
    registerWay: 0,
    certNum: '',
    certifiable: 0,
    errCode: 0,
    endTime: '',
    secrecy: 0,
    ipAddress: '',
    port: 0,
    password: '',
    ptzType: 0,
    positionType: 0,
    roomType: 0,
    useType: 0,
    supplyLightType: 0,
    directionType: 0,
    resolution: '',
    businessGroupId: '',
    downloadSpeed: '',
    svcSpaceSupportMod: 0,
    svcTimeSupportMode: 0,
    isOn: false,
    longitude: '',
    latitude: '',
    positionMs: 0,
    customChannelId: '',
    customName: '',
    streamPath: '',
    isCustom: false,
    hasAudio: true,
    streamNumber: 0,
    updatedMs: 0,
    ...fields,
    deviceId,
    channelId,
  }
}

/** The id of a channel in the API and the database. */
export function channelKey(deviceId: string, channelId: string): string {
  return `${deviceId}_${channelId}`
}

/** The path at which the live stream of a channel is. */
export function livePath({ deviceId, channelId }: Pick<Channel, 'deviceId' | 'channelId'>): string {
  return `${deviceId}/${channelId}`
}
