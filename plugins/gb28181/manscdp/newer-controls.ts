import type { DragZoomArea } from './controls.ts'
import type { ManscdpBody, ManscdpField } from './message.ts'

/** The direction of a camera, in degrees, and its zoom, in times; a field that is undefined stays. */
export type PreciseDirection = {
  readonly pan?: number | undefined
  readonly tilt?: number | undefined
  readonly zoom?: number | undefined
}

/** New software for a device. */
export type DeviceUpgrade = {
  /** The version that it is then of. */
  readonly firmware: string
  readonly fileUrl: string
  readonly manufacturer: string
  /** 32–128 letters, digits and hyphens, by which the result is known again. */
  readonly sessionId: string
}

/** Has a camera look somewhere (A.2.3.1.11 of GB/T 28181-2022). Devices of 2022 know it, as all that follow. */
export function ptzPreciseControl(channelId: string, { pan, tilt, zoom }: PreciseDirection): ManscdpBody {
  const fields: readonly ManscdpField[] = [
    ['Pan', pan],
    ['Tilt', tilt],
    ['Zoom', zoom],
  ]
  return control(channelId, [['PTZPreciseCtrl', fields]])
}

/** Has a device fetch new software (A.2.3.1.12). */
export function deviceUpgradeControl(deviceId: string, upgrade: DeviceUpgrade): ManscdpBody {
  const fields: readonly ManscdpField[] = [
    ['Firmware', upgrade.firmware],
    ['FileURL', upgrade.fileUrl],
    ['Manufacturer', upgrade.manufacturer],
    ['SessionID', upgrade.sessionId],
  ]
  return control(deviceId, [['DeviceUpgrade', fields]])
}

/**
 * Formats a memory card (A.2.3.1.13).
 * @param card from 1; 0 is all
 */
export function formatSdCardControl(deviceId: string, card: number): ManscdpBody {
  return control(deviceId, [['FormatSDCard', card]])
}

/**
 * Has a camera follow something (A.2.3.1.14).
 * @param area the area that it is in, to follow what an operator has chosen
 */
export function targetTrackControl(
  channelId: string,
  command: 'Auto' | 'Manual' | 'Stop',
  area?: DragZoomArea,
): ManscdpBody {
  const fields: readonly ManscdpField[] | undefined = area && [
    ['Length', area.windowWidth],
    ['Width', area.windowHeight],
    ['MidPointX', area.centerX],
    ['MidPointY', area.centerY],
    ['LengthX', area.width],
    ['LengthY', area.height],
  ]
  return control(channelId, [
    ['TargetTrack', command],
    ['TargetArea', fields],
  ])
}

function control(deviceId: string, fields: readonly ManscdpField[]): ManscdpBody {
  return { kind: 'Control', cmdType: 'DeviceControl', deviceId, fields }
}
