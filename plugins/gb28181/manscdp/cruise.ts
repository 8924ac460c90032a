import type { ManscdpMessage } from './message.ts'

/** A tour of a camera (A.2.6.13 of GB/T 28181-2022). */
export type CruiseTrack = {
  readonly number: number
  /** Empty without one. */
  readonly name: string
}

/** A point of a tour. */
export type CruisePoint = {
  readonly presetIndex: number
  readonly staySeconds: number | undefined
  readonly speed: number | undefined
}

/** A tour with its points (A.2.6.14). */
export type CruiseTrackDetail = CruiseTrack & { readonly points: readonly CruisePoint[] }

/** Reads an answer to a query of tours. */
export function parseCruiseTracks({ root }: ManscdpMessage): readonly CruiseTrack[] {
  const list = root.child('CruiseTrackList')
  const tracks = list?.all('CruiseTrack') ?? []
  return tracks.flatMap((track) => {
    const number = track.integer('Number')
    return number === undefined ? [] : [{ number, name: track.text('Name') ?? '' }]
  })
}

/** Reads an answer to a query of one tour. */
export function parseCruiseTrack({ root }: ManscdpMessage): CruiseTrackDetail {
  const points = root.child('CruisePointList')?.all('CruisePoint') ?? []
  return {
    number: root.integer('Number') ?? 0,
    name: root.text('Name') ?? '',
    points: points.flatMap((point) => {
      const presetIndex = point.integer('PresetIndex')
      if (presetIndex === undefined) return []
      return [{ presetIndex, staySeconds: point.integer('StayTime'), speed: point.integer('Speed') }]
    }),
  }
}
