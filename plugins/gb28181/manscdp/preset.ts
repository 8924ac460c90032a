import type { ManscdpMessage } from './message.ts'

/** A preset of a camera (A.2.6.10 of GB/T 28181-2022). */
export type Preset = {
  /** 1–255. */
  readonly id: number
  /** Empty without one. */
  readonly name: string
}

/** Reads an answer to a query of presets. Those without a number are left out. */
export function parsePresets({ root }: ManscdpMessage): readonly Preset[] {
  const items = root.child('PresetList')?.all('Item') ?? []
  return items.flatMap((item) => {
    const id = item.integer('PresetID')
    return id === undefined ? [] : [{ id, name: item.text('PresetName') ?? '' }]
  })
}
