import type { Clip } from './media/clip.ts'
import type { Charset } from './manscdp/charset.ts'
import type { DeviceEvent } from './device-event.ts'
import type { DeviceSite } from './device-site.ts'
import type { Quirk } from './quirks.ts'
import type { Timers } from './timers.ts'

/** A channel of a device, as its catalogue lists it. */
export type GbChannel = {
  /** 20 digits. */
  readonly id: string
  readonly name: string
  /** False for a channel whose status is `OFF`. */
  readonly isOnline?: boolean
  /** Further elements of the item, such as `Longitude`; they take the place of those that a device has by itself. */
  readonly fields?: Readonly<Record<string, string | number>>
}

/** A recording on a device. */
export type GbRecording = {
  /** Of this channel alone; of all by default. */
  readonly channelId?: string
  readonly name?: string
  readonly start: Date
  readonly end: Date
  /** `time` by default. */
  readonly type?: 'time' | 'alarm' | 'manual'
  readonly filePath?: string
  readonly recorderId?: string
  readonly fileSizeBytes?: number
}

/** The position of a device (A.2.5.6). */
export type GbPosition = {
  readonly longitude: number
  readonly latitude: number
  readonly speed?: number
  readonly direction?: number
  readonly altitude?: number
}

/** The server that a device registers at. */
export type GbServer = {
  readonly host: string
  readonly port: number
  /** 20 digits. */
  readonly id: string
  /** The domain in URIs; by default the first 10 digits of the id. */
  readonly realm?: string
}

/** The options of a device. */
export type GbDeviceOptions = {
  /** 20 digits. */
  readonly id: string
  readonly server: GbServer
  /** Empty by default. */
  readonly password?: string
  /** The transport of its SIP; `udp` by default. */
  readonly transport?: 'udp' | 'tcp'
  /** The version in `X-GB-ver`, a header that is left out without one. 2.0 is the standard of 2016, 3.0 that of 2022. */
  readonly version?: '1.0' | '1.1' | '2.0' | '3.0' | undefined
  /** The charset of bodies: by default GB18030 for version 3.0, else GB2312. */
  readonly charset?: Charset
  /** The seconds that a registration is asked for; 3,600 by default. */
  readonly expires?: number
  /** Between two keepalives; 60 by default. */
  readonly keepaliveSeconds?: number
  /** The same in milliseconds, for tests. */
  readonly keepaliveMs?: number
  /** The pause before it registers again, or connects again; 60,000 by default. */
  readonly retryMs?: number
  /** Channels, or how many to make; 1 by default. */
  readonly channels?: readonly GbChannel[] | number
  readonly recordings?: readonly GbRecording[]
  /** The items of each message of a catalogue or a list of recordings; 4 by default. */
  readonly pageSize?: number
  /** The media of all channels, or a function that makes it when it is first asked for. Without it, an `INVITE` gets 488. */
  readonly source?: Clip | (() => Promise<Clip>)
  readonly name?: string
  readonly manufacturer?: string
  readonly model?: string
  readonly firmware?: string
  /** The picture that a snapshot is; by default the smallest JPEG. */
  readonly snapshot?: Buffer
  /** The position of the device, which it tells its subscribers. */
  readonly position?: GbPosition
  /** The time until an `INVITE` is answered; 0 by default. */
  readonly answerDelayMs?: number
  /** The pause between two alarms that nobody has reset; 5,000 by default. */
  readonly alarmRepeatMs?: number
  readonly quirks?: readonly Quirk[]
  /** The site that it shares with other devices of the process. */
  readonly site?: DeviceSite
  readonly onEvent?: (event: DeviceEvent) => void
  readonly timers?: Timers
}
