import type { GbCharset } from '../manscdp/charset.ts'
import type { GbVersion } from '../version.ts'
import type { FlowEnds } from '../transport/switchboard.ts'

/** The ways of media, as the API names them: `TCP-PASSIVE` has the device connect to this server. */
export const STREAM_MODES = ['UDP', 'TCP-ACTIVE', 'TCP-PASSIVE'] as const

export type StreamMode = (typeof STREAM_MODES)[number]

/** The settings of a device, which operators change. */
export type DeviceSettings = {
  /** The name that an operator has given; empty: the device's own. */
  name: string
  /** Empty: that of the section. */
  password: string
  /** `GB2312`, `GB18030` or `UTF-8`; empty: as the device writes. */
  charset: GbCharset | ''
  streamMode: StreamMode
  /** The address that the device sends media to; empty: that of the section. */
  mediaIp: string
  /** The address by which the device reaches SIP here; empty: that of the section. */
  sipIp: string
  longitude: string
  latitude: string
  /** True when media with another SSRC than that which the device was told is refused. */
  ssrcCheck: boolean
  /** True when sound for the device's loudspeaker begins only after its ACK. */
  broadcastPushAfterAck: boolean
  subscribeCatalog: boolean
  subscribePosition: boolean
  subscribeAlarm: boolean
  /** False for devices that fail at the header `Date` of the answer to their registration. */
  sendsDate: boolean
}

/** The description that a device gives of itself. */
export type DeviceDescription = {
  /** The name that it tells. */
  ownName: string
  manufacturer: string
  model: string
  firmware: string
}

/** The registration of a device. Times are Unix milliseconds. */
export type Registration = {
  isOnline: boolean
  /** The way to it; undefined for one that never registered. */
  ends: FlowEnds | undefined
  /** `X-GB-ver`, as `2.0`; empty where it tells none. */
  version: GbVersion | ''
  registeredMs: number
  keptAliveMs: number
  /** The end of its registration. */
  expiresMs: number
  /** The shortest time between two of its keepalives; 0 where that is not known. */
  keepaliveMs: number
}

/** A device: plain data, which generations of the plugin share. */
export type Device = DeviceSettings &
  DeviceDescription &
  Registration & {
    readonly id: string
    createdMs: number
    updatedMs: number
  }

/** Returns a device as it is when it first comes. */
export function newDevice(id: string, nowMs: number): Device {
  return {
    id,
    name: '',
    password: '',
    charset: '',
    streamMode: 'TCP-PASSIVE',
    mediaIp: '',
    sipIp: '',
    longitude: '',
    latitude: '',
    ssrcCheck: false,
    broadcastPushAfterAck: false,
    subscribeCatalog: false,
    subscribePosition: false,
    subscribeAlarm: false,
    sendsDate: true,
    ownName: '',
    manufacturer: '',
    model: '',
    firmware: '',
    isOnline: false,
    ends: undefined,
    version: '',
    registeredMs: 0,
    keptAliveMs: 0,
    expiresMs: 0,
    keepaliveMs: 0,
    createdMs: nowMs,
    updatedMs: nowMs,
  }
}

/** The id of a device, channel or platform. Twenty digits by the standard; devices in use have shorter ones, and letters. */
export const GB_ID = /^[A-Za-z\d-]{1,32}$/u
