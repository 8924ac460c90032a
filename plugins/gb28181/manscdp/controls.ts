import { compareGbVersions, type GbVersion } from '../version.ts'
import type { ManscdpBody, ManscdpField } from './message.ts'

/** Names that go with a command of the front end. Devices of 2022 know them. */
export type FrontEndNames = {
  /** With `set` of a preset. */
  readonly presetName?: string | undefined
  /** With commands of tours; at most 32 bytes. */
  readonly cruiseTrackName?: string | undefined
}

/** The alarms that are reset; all where no field is set. */
export type AlarmKinds = {
  /** One digit of the table of methods, or several joined by `/`. */
  readonly method?: string | undefined
  readonly type?: number | undefined
}

/** A rectangle within the window of a player, in pixels from its left upper corner. */
export type DragZoomArea = {
  /** The width of the window, which the standard calls its length. */
  readonly windowWidth: number
  readonly windowHeight: number
  readonly centerX: number
  readonly centerY: number
  readonly width: number
  readonly height: number
}

export type HomePosition = {
  readonly isEnabled: boolean
  /** The time without a command after which a camera goes back. */
  readonly resetSeconds?: number | undefined
  /** The preset 0–255 to which it goes. */
  readonly presetIndex?: number | undefined
}

/** Sends a command of the front end, 16 hex digits (A.2.3.1.2 of GB/T 28181-2022). */
export function frontEndControl(channelId: string, hex: string, names: FrontEndNames = {}): ManscdpBody {
  const { presetName, cruiseTrackName } = names
  const parameters: readonly ManscdpField[] = [
    ['PresetName', presetName],
    ['CruiseTrackName', cruiseTrackName],
  ]
  const hasNames = presetName !== undefined || cruiseTrackName !== undefined
  return control(channelId, [
    ['PTZCmd', hex],
    ['PTZCmdParams', hasNames ? parameters : undefined],
  ])
}

/** Starts a device anew (A.2.3.1.3). */
export function teleBootControl(deviceId: string): ManscdpBody {
  return control(deviceId, [['TeleBoot', 'Boot']])
}

/**
 * Starts or stops a recording on the device (A.2.3.1.4).
 * @param streamNumber 0 is the main stream. Devices of 2022 know it.
 */
export function recordControl(channelId: string, command: 'Record' | 'StopRecord', streamNumber?: number): ManscdpBody {
  return control(channelId, [
    ['RecordCmd', command],
    ['StreamNumber', streamNumber],
  ])
}

/** Has a device raise alarms, or no longer (A.2.3.1.5). */
export function guardControl(deviceId: string, command: 'SetGuard' | 'ResetGuard'): ManscdpBody {
  return control(deviceId, [['GuardCmd', command]])
}

/** Resets alarms: without it, a device repeats those of its own (A.2.3.1.6). */
export function alarmResetControl(channelId: string, { method, type }: AlarmKinds = {}): ManscdpBody {
  const info: readonly ManscdpField[] = [
    ['AlarmMethod', method],
    ['AlarmType', type],
  ]
  const isAll = method === undefined && type === undefined
  return control(channelId, [
    ['AlarmCmd', 'ResetAlarm'],
    ['Info', isAll ? undefined : info],
  ])
}

/**
 * Asks for a keyframe at once (A.2.3.1.7).
 * @param version the version of the device: before 2022 the name of the command has a slip of the pen. Default: 2016
 */
export function keyframeControl(channelId: string, version: GbVersion = '2.0'): ManscdpBody {
  return control(channelId, [[compareGbVersions(version, '3.0') < 0 ? 'IFameCmd' : 'IFrameCmd', 'Send']])
}

/** Zooms so that an area fills the window, or that the window fills the area (A.2.3.1.8 and 9). */
export function dragZoomControl(channelId: string, direction: 'in' | 'out', area: DragZoomArea): ManscdpBody {
  const fields: readonly ManscdpField[] = [
    ['Length', area.windowWidth],
    ['Width', area.windowHeight],
    ['MidPointX', area.centerX],
    ['MidPointY', area.centerY],
    ['LengthX', area.width],
    ['LengthY', area.height],
  ]
  return control(channelId, [[direction === 'in' ? 'DragZoomIn' : 'DragZoomOut', fields]])
}

/** Has a camera go back to a preset when nobody moves it, or no longer (A.2.3.1.10). */
export function homePositionControl(channelId: string, position: HomePosition): ManscdpBody {
  const fields: readonly ManscdpField[] = [
    ['Enabled', Number(position.isEnabled)],
    ['ResetTime', position.resetSeconds],
    ['PresetIndex', position.presetIndex],
  ]
  return control(channelId, [['HomePosition', fields]])
}

function control(deviceId: string, fields: readonly ManscdpField[]): ManscdpBody {
  return { kind: 'Control', cmdType: 'DeviceControl', deviceId, fields }
}
