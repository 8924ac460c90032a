import { SluiceError } from 'sluice/sdk'

/** There is no such device (`DEVICE_UNKNOWN`, 404). */
export class DeviceUnknown extends SluiceError {
  constructor(id: string) {
    super('DEVICE_UNKNOWN', 404, `there is no device ${id}`)
  }
}

/** The device has no such channel (`CHANNEL_UNKNOWN`, 404). */
export class ChannelUnknown extends SluiceError {
  constructor(deviceId: string, channelId: string) {
    super('CHANNEL_UNKNOWN', 404, `there is no channel ${channelId} of device ${deviceId}`)
  }
}

/** The device is not registered, or its connection has ended (`DEVICE_OFFLINE`, 503). */
export class DeviceOffline extends SluiceError {
  constructor(id: string) {
    super('DEVICE_OFFLINE', 503, `device ${id} is offline`)
  }
}

/** The device has not answered in time (`DEVICE_SILENT`, 504). */
export class DeviceSilent extends SluiceError {
  constructor(id: string, what: string) {
    super('DEVICE_SILENT', 504, `device ${id} has not answered: ${what}`)
  }
}

/** The device refuses what it was asked for (`DEVICE_REFUSED`, 502). */
export class DeviceRefused extends SluiceError {
  constructor(id: string, reason: string) {
    super('DEVICE_REFUSED', 502, `device ${id} refuses: ${reason}`)
  }
}

/** There is such a device already (`DEVICE_EXISTS`, 409). */
export class DeviceExists extends SluiceError {
  constructor(id: string) {
    super('DEVICE_EXISTS', 409, `there is a device ${id} already`)
  }
}

/** There is a channel with this id already, or one that is called so (`CHANNEL_EXISTS`, 409). */
export class ChannelExists extends SluiceError {
  constructor(id: string) {
    super('CHANNEL_EXISTS', 409, `there is a channel ${id} already`)
  }
}

/** There is no such group of channels (`GROUP_UNKNOWN`, 404). */
export class GroupUnknown extends SluiceError {
  constructor(id: number) {
    super('GROUP_UNKNOWN', 404, `there is no group ${id}`)
  }
}

/** There is no such download (`DOWNLOAD_UNKNOWN`, 404). */
export class DownloadUnknown extends SluiceError {
  constructor(id: string) {
    super('DOWNLOAD_UNKNOWN', 404, `there is no download ${id}`)
  }
}

/** Nobody waits for this picture, or no longer (`UPLOAD_UNKNOWN`, 404). */
export class UploadUnknown extends SluiceError {
  constructor() {
    super('UPLOAD_UNKNOWN', 404, 'nobody waits for this picture')
  }
}
