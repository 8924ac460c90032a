import type { ManscdpMessage } from './message.ts'

/** The direction of a camera (A.2.6.15 of GB/T 28181-2022). A field that it does not state is undefined. */
export type PtzPosition = {
  /** Degrees, 0–360. */
  readonly pan: number | undefined
  /** Degrees, −30 to 90. */
  readonly tilt: number | undefined
  /** So many times as large. */
  readonly zoom: number | undefined
  /** Degrees. */
  readonly horizontalFieldAngle: number | undefined
  readonly verticalFieldAngle: number | undefined
  readonly maxViewDistanceMeters: number | undefined
}

/** Reads an answer to a query of it, or a notice. Some devices have an element around its fields. */
export function parsePtzPosition({ root }: ManscdpMessage): PtzPosition {
  const position = root.child('PTZStatus') ?? root.child('PTZPosition') ?? root
  return {
    pan: position.number('Pan'),
    tilt: position.number('Tilt'),
    zoom: position.number('Zoom'),
    horizontalFieldAngle: position.number('HorizontalFieldAngle'),
    verticalFieldAngle: position.number('VerticalFieldAngle'),
    maxViewDistanceMeters: position.number('MaxViewDistance'),
  }
}
