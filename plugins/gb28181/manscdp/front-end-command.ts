/**
 * The commands of a camera's front end as 8 bytes (GB/T 28181-2022 annex A.3):
 *
 *     A5 | version (4) check of the first (4) | address (8) | command | data 1 | data 2 | data 3 (4) address (4) | sum
 */

export type PanTilt = {
  /** −255 (left) to 255 (right); 0 stands still. */
  readonly pan: number
  /** −255 (down) to 255 (up). */
  readonly tilt: number
  /** −15 (out) to 15 (in). */
  readonly zoom: number
}

export type FocusIris = {
  /** −255 (near) to 255 (far). */
  readonly focus: number
  /** −255 (closed) to 255 (open). */
  readonly iris: number
}

const START = 0xa5
/** The version 0 and the check (0xA + 0x5 + 0) mod 16. */
const VERSION_AND_CHECK = 0x0f
/** The address that devices with one front end have. */
const ADDRESS = 1

const ZOOM_OUT = 0x20
const ZOOM_IN = 0x10
const UP = 0x08
const DOWN = 0x04
const LEFT = 0x02
const RIGHT = 0x01

const FOCUS_IRIS = 0x40
const IRIS_CLOSE = 0x08
const IRIS_OPEN = 0x04
const FOCUS_NEAR = 0x02
const FOCUS_FAR = 0x01

const PRESET = { set: 0x81, call: 0x82, delete: 0x83 } as const
const CRUISE = { addPoint: 0x84, deletePoint: 0x85, speed: 0x86, dwell: 0x87, start: 0x88 } as const
const SCAN = { command: 0x89, speed: 0x8a, start: 0, left: 1, right: 2 } as const
const AUXILIARY = { on: 0x8c, off: 0x8d } as const
/** The number of the wiper among the auxiliary switches. */
export const WIPER_SWITCH = 1

const MAX_BYTE = 0xff
const MAX_NIBBLE = 0xf
const MAX_WORD = 0xfff

/** Moves the camera; all of 0 stops it. */
export function panTiltCommand({ pan, tilt, zoom }: PanTilt): string {
  const [panSpeed, tiltSpeed, zoomSpeed] = [speedOf(pan, MAX_BYTE), speedOf(tilt, MAX_BYTE), speedOf(zoom, MAX_NIBBLE)]
  const command = direction(pan, RIGHT, LEFT) | direction(tilt, UP, DOWN) | direction(zoom, ZOOM_IN, ZOOM_OUT)
  return serialize(command, panSpeed, tiltSpeed, zoomSpeed)
}

/** Moves focus and iris; both of 0 stop them. */
export function focusIrisCommand({ focus, iris }: FocusIris): string {
  const command = FOCUS_IRIS | direction(focus, FOCUS_FAR, FOCUS_NEAR) | direction(iris, IRIS_OPEN, IRIS_CLOSE)
  return serialize(command, speedOf(focus, MAX_BYTE), speedOf(iris, MAX_BYTE))
}

/** @param preset 1–255 */
export function presetCommand(action: keyof typeof PRESET, preset: number): string {
  return serialize(PRESET[action], 0, within(preset, 1, MAX_BYTE))
}

/**
 * @param tour 0–255
 * @param point the preset 1–255 of a point; 0 deletes the tour
 */
export function cruisePointCommand(action: 'addPoint' | 'deletePoint', tour: number, point: number): string {
  const lowest = action === 'deletePoint' ? 0 : 1
  return serialize(CRUISE[action], within(tour, 0, MAX_BYTE), within(point, lowest, MAX_BYTE))
}

/** @param value the speed, or the seconds at a point, 0–4095 */
export function cruiseValueCommand(action: 'speed' | 'dwell', tour: number, value: number): string {
  const word = within(value, 0, MAX_WORD)
  return serialize(CRUISE[action], within(tour, 0, MAX_BYTE), word & MAX_BYTE, word >> 8)
}

export function cruiseStartCommand(tour: number): string {
  return serialize(CRUISE.start, within(tour, 0, MAX_BYTE), 0)
}

/** @param scan 0–255 */
export function scanCommand(action: 'start' | 'left' | 'right', scan: number): string {
  return serialize(SCAN.command, within(scan, 0, MAX_BYTE), SCAN[action])
}

/** @param speed 0–4095 */
export function scanSpeedCommand(scan: number, speed: number): string {
  const word = within(speed, 0, MAX_WORD)
  return serialize(SCAN.speed, within(scan, 0, MAX_BYTE), word & MAX_BYTE, word >> 8)
}

/** @param switchNumber 1–255, of which 1 is the wiper */
export function auxiliaryCommand(isOn: boolean, switchNumber: number): string {
  return serialize(isOn ? AUXILIARY.on : AUXILIARY.off, within(switchNumber, 1, MAX_BYTE), 0)
}

/**
 * A command by its bytes.
 * @param data3 0–15
 * @throws {RangeError} when one of them is out of its range
 */
export function frontEndCommand(command: number, data1: number, data2: number, data3: number): string {
  const [first, second] = [within(data1, 0, MAX_BYTE), within(data2, 0, MAX_BYTE)]
  return serialize(within(command, 0, MAX_BYTE), first, second, within(data3, 0, MAX_NIBBLE))
}

/** Stops whatever moves: pan, tilt, zoom, cruise and scan. */
export function stopCommand(): string {
  return serialize(0, 0, 0)
}

/** True for 16 hex digits with a right start and sum. */
export function isFrontEndCommand(text: string): boolean {
  if (!/^a5[\da-f]{14}$/iu.test(text)) return false
  const bytes = Buffer.from(text, 'hex')
  return sumOf(bytes) === bytes[bytes.length - 1]
}

function serialize(command: number, data1: number, data2: number, data3 = 0): string {
  const bytes = Buffer.from([START, VERSION_AND_CHECK, ADDRESS, command, data1, data2, data3 << 4, 0])
  bytes[7] = sumOf(bytes)
  return bytes.toString('hex').toUpperCase()
}

function sumOf(bytes: Buffer): number {
  return bytes.subarray(0, 7).reduce((sum, byte) => sum + byte, 0) & MAX_BYTE
}

function direction(value: number, positive: number, negative: number): number {
  if (value === 0) return 0
  return value > 0 ? positive : negative
}

function speedOf(value: number, max: number): number {
  return within(Math.abs(value), 0, max)
}

function within(value: number, min: number, max: number): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${value} is no whole number of ${min} to ${max}`)
  }
  return value
}
