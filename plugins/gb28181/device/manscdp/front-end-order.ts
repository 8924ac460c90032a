/** An order for the front end: 8 bytes in hexadecimal digits (GB/T 28181-2022 annex A.3). */
export type FrontEndOrder =
  | {
      readonly kind: 'move'
      /** −255 to 255: to the right and up are positive. */
      readonly pan: number
      readonly tilt: number
      /** −15 to 15: nearer is positive. */
      readonly zoom: number
    }
  | {
      readonly kind: 'lens'
      /** −255 to 255: far and open are positive. */
      readonly focus: number
      readonly iris: number
    }
  | { readonly kind: 'preset'; readonly action: 'set' | 'call' | 'delete'; readonly preset: number }
  | {
      readonly kind: 'cruise'
      readonly action: 'add' | 'delete' | 'speed' | 'dwell' | 'start'
      readonly cruise: number
      readonly preset: number
      /** The speed, or the seconds to stay at a preset; 12 bits. */
      readonly value: number
    }
  | {
      readonly kind: 'scan'
      readonly action: 'start' | 'left' | 'right' | 'speed'
      readonly scan: number
      readonly value: number
    }
  | { readonly kind: 'auxiliary'; readonly isOn: boolean; readonly number: number }

/** The reason why an order can't be obeyed. */
export type OrderProblem = 'length' | 'head' | 'checksum' | 'command'

const HEAD = 0xa5
const SIZE_BYTES = 8
const PRESETS: Readonly<Record<number, 'set' | 'call' | 'delete'>> = { 0x81: 'set', 0x82: 'call', 0x83: 'delete' }
const CRUISES: Readonly<Record<number, 'add' | 'delete' | 'speed' | 'dwell' | 'start'>> = {
  0x84: 'add',
  0x85: 'delete',
  0x86: 'speed',
  0x87: 'dwell',
  0x88: 'start',
}
const SCANS = ['start', 'left', 'right'] as const

/** Reads an order, or says what is wrong with it. */
export function parseFrontEndOrder(hex: string): FrontEndOrder | OrderProblem {
  const bytes = Buffer.from(hex.trim(), 'hex')
  if (hex.trim().length !== 2 * SIZE_BYTES || bytes.length !== SIZE_BYTES) return 'length'
  const [head = 0, info = 0, address = 0, command = 0, first = 0, second = 0, third = 0, check = 0] = bytes
  // The lower half of the second byte is a sum, too: of the halves of the first one, and of the version.
  if (head !== HEAD || (info & 0x0f) !== ((0xa + 0x5 + (info >> 4)) & 0x0f)) return 'head'
  if (((head + info + address + command + first + second + third) & 0xff) !== check) return 'checksum'
  const high = third >> 4
  if (command < 0x40) return moveOf(command, first, second, high)
  if (command < 0x50) return lensOf(command, first, second)
  const preset = PRESETS[command]
  if (preset !== undefined) return { kind: 'preset', action: preset, preset: second }
  const cruise = CRUISES[command]
  if (cruise !== undefined) {
    return { kind: 'cruise', action: cruise, cruise: first, preset: second, value: second + (high << 8) }
  }
  if (command === 0x8a) return { kind: 'scan', action: 'speed', scan: first, value: second + (high << 8) }
  const scan = command === 0x89 ? SCANS[second] : undefined
  if (scan !== undefined) return { kind: 'scan', action: scan, scan: first, value: 0 }
  if (command === 0x8c || command === 0x8d) return { kind: 'auxiliary', isOn: command === 0x8c, number: first }
  return 'command'
}

function moveOf(command: number, panSpeed: number, tiltSpeed: number, zoomSpeed: number): FrontEndOrder | OrderProblem {
  const [pan, tilt, zoom] = [directionOf(command, 0, 1), directionOf(command, 3, 2), directionOf(command, 4, 5)]
  if (pan === undefined || tilt === undefined || zoom === undefined) return 'command'
  return { kind: 'move', pan: times(pan, panSpeed), tilt: times(tilt, tiltSpeed), zoom: times(zoom, zoomSpeed) }
}

function lensOf(command: number, focusSpeed: number, irisSpeed: number): FrontEndOrder | OrderProblem {
  const [focus, iris] = [directionOf(command, 0, 1), directionOf(command, 2, 3)]
  if (focus === undefined || iris === undefined) return 'command'
  return { kind: 'lens', focus: times(focus, focusSpeed), iris: times(iris, irisSpeed) }
}

/** 1, −1 or 0 by two bits; undefined where both are set. */
function directionOf(command: number, plusBit: number, minusBit: number): number | undefined {
  const [plus, minus] = [(command >> plusBit) & 1, (command >> minusBit) & 1]
  return plus === 1 && minus === 1 ? undefined : plus - minus
}

/** Never −0. */
function times(direction: number, speed: number): number {
  return direction === 0 ? 0 : direction * speed
}
