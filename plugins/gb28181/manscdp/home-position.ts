import type { HomePosition } from './controls.ts'
import type { ManscdpMessage } from './message.ts'

/** Reads an answer to a query of the home position (A.2.6.12 of GB/T 28181-2022); undefined without one. */
export function parseHomePosition({ root }: ManscdpMessage): HomePosition | undefined {
  const position = root.child('HomePosition')
  if (position === undefined) return undefined
  return {
    isEnabled: /^(?:1|TRUE|ON)$/iu.test(position.text('Enabled') ?? ''),
    resetSeconds: position.integer('ResetTime'),
    presetIndex: position.integer('PresetIndex'),
  }
}
