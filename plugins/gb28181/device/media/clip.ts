import {
  type AccessUnit,
  canCarryInPs,
  PES_TIMESCALE,
  rescale,
  type MediaTrack,
  type Track,
  type TrackInit,
  type UnitSink,
} from 'sluice/sdk/media'

/** A unit of a clip. */
export type ClipUnit = {
  readonly unit: AccessUnit
  readonly track: MediaTrack
  /** Its decoding time from the beginning of the clip, in ticks of 90 kHz. */
  readonly ticks: number
  /** A decoder can start here: a keyframe, or any unit where there are no pictures. */
  readonly isStart: boolean
}

/** Media that all sessions of a device play, over and over. It begins with a unit that a decoder can start at. */
export type Clip = {
  /** One of pictures, one of sound, or both. */
  readonly tracks: readonly MediaTrack[]
  /** By their times. */
  readonly units: readonly ClipUnit[]
  /** The time after which it begins anew, in ticks of 90 kHz. */
  readonly durationTicks: number
}

/** Takes what a demuxer finds, for a clip. */
export class ClipSink implements UnitSink {
  readonly units: AccessUnit[] = []
  #count = 0

  addTrack(init: TrackInit): Track {
    return { ...init, id: this.#count++ }
  }

  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind {
    return { ...track, config }
  }

  removeTrack(): void {}

  lost(): void {}

  write(unit: AccessUnit): void {
    this.units.push(unit)
  }
}

/**
 * Makes a clip of units: of the first track of pictures and the first of sound, from the first keyframe on.
 * @throws {RangeError} when no unit can be carried in a program stream
 */
export function makeClip(units: readonly AccessUnit[]): Clip {
  const ofKind = (kind: MediaTrack['kind']) => {
    const first = units.find(({ track }) => track.kind === kind && canCarryInPs(track))?.track
    const track = first !== undefined && canCarryInPs(first) ? first : undefined
    return track === undefined
      ? []
      : units.filter((unit) => unit.track.id === track.id).map((unit) => timed(unit, track))
  }
  const [pictures, sound] = [ofKind('video'), ofKind('audio')]
  const firstStart = pictures.findIndex(({ isStart }) => isStart)
  const main = firstStart < 0 ? sound : pictures.slice(firstStart)
  const [first, last] = [main[0], main.at(-1)]
  if (first === undefined || last === undefined)
    throw new RangeError('there is no media that a program stream can carry')
  const meanTicks = main.length < 2 ? PES_TIMESCALE : Math.round((last.ticks - first.ticks) / (main.length - 1))
  const durationTicks = last.ticks - first.ticks + meanTicks
  const other = main === sound ? [] : sound
  const all = [...main, ...other.map((unit) => ({ ...unit, isStart: false }))]
    .map(({ unit, track, ticks, isStart }) => shifted(unit, track, ticks, isStart, first.ticks))
    .filter(({ ticks }) => ticks >= 0 && ticks < durationTicks)
  const byTime = all.toSorted((a, b) => a.ticks - b.ticks)
  return { tracks: [...new Set(byTime.map(({ track }) => track))], units: byTime, durationTicks }
}

function timed(unit: AccessUnit, track: MediaTrack): ClipUnit {
  return { unit, track, ticks: rescale(unit.dts, track.timescale, PES_TIMESCALE), isStart: unit.keyframe }
}

function shifted(unit: AccessUnit, track: MediaTrack, ticks: number, isStart: boolean, firstTicks: number): ClipUnit {
  const shift = rescale(firstTicks, PES_TIMESCALE, track.timescale)
  return { unit: unit.at(track, unit.dts - shift, unit.pts - shift), track, ticks: ticks - firstTicks, isStart }
}
