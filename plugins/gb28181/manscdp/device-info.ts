import type { ManscdpMessage } from './message.ts'
import { isResultOk } from './result.ts'

/** The description that a device gives of itself (A.2.6.5 of GB/T 28181-2022). */
export type DeviceInfo = {
  readonly isOk: boolean
  readonly deviceName: string | undefined
  readonly manufacturer: string | undefined
  readonly model: string | undefined
  readonly firmware: string | undefined
  /** The number of its pictures. */
  readonly channelCount: number | undefined
}

/** Reads an answer to a query of device info. */
export function parseDeviceInfo(message: ManscdpMessage): DeviceInfo {
  const { root } = message
  return {
    isOk: isResultOk(message),
    deviceName: root.text('DeviceName') ?? root.text('Name'),
    manufacturer: root.text('Manufacturer'),
    model: root.text('Model'),
    firmware: root.text('Firmware'),
    channelCount: root.integer('Channel'),
  }
}
