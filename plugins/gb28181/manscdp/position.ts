import type { XmlElement } from './element.ts'
import type { ManscdpMessage } from './message.ts'
import { parseGbTime, type GbClock } from './times.ts'

/** The position of a device that moves (A.2.5.5 of GB/T 28181-2022). */
export type MobilePosition = {
  readonly deviceId: string
  /** Unix milliseconds; undefined of what is no time. */
  readonly timeMs: number | undefined
  /** Degrees, of WGS 84. */
  readonly longitude: number
  readonly latitude: number
  readonly speedKmh: number | undefined
  /** Degrees from north, clockwise. */
  readonly direction: number | undefined
  readonly altitudeMeters: number | undefined
}

/** Reads a notice of positions: one, or a list of those of several devices. What has no place on earth is left out. */
export function parseMobilePosition({ root, deviceId }: ManscdpMessage, zone: GbClock): readonly MobilePosition[] {
  const items = root.child('DeviceList')?.all('Item') ?? []
  return [root, ...items].flatMap((element) => positionOf(element, deviceId, zone) ?? [])
}

function positionOf(element: XmlElement, deviceId: string, zone: GbClock): MobilePosition | undefined {
  const longitude = element.number('Longitude')
  const latitude = element.number('Latitude')
  if (longitude === undefined || latitude === undefined) return undefined
  if (Math.abs(longitude) > 180 || Math.abs(latitude) > 90) return undefined
  return {
    deviceId: element.text('DeviceID') ?? deviceId,
    timeMs: parseGbTime(element.text('Time') ?? element.text('CaptureTime'), zone),
    longitude,
    latitude,
    speedKmh: element.number('Speed'),
    direction: element.number('Direction'),
    altitudeMeters: element.number('Altitude') ?? element.number('Height'),
  }
}
