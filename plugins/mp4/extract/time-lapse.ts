import { isDeepStrictEqual } from 'node:util'
import type { AccessUnit, Recording, VideoTrack } from 'sluice/sdk'
import { canCarryInFmp4, mainTracks } from 'sluice/sdk/media'
import { Mp4Writer } from '../record/mp4-writer.ts'
import { MAX_GOP_BYTES, NotExtractable } from './one-gop.ts'
import { isMainKeyframe, unitsOf } from './recorded-units.ts'

/** What of a recording is kept. */
export type TimeLapse = {
  /** How much of a group of pictures, from its keyframe on. */
  readonly partMs: number
  /** One group out of so many. */
  readonly interval: number
}

/** A part of a group that is kept, whose pictures follow those of the one before. */
type Part = {
  readonly keyframe: AccessUnit
  /** What is added to the times of its pictures. */
  readonly shift: number
}

/**
 * Makes an MP4 of the beginnings of some groups of pictures, one right after the other, without sound. It ends where the pictures
 * are configured in another way.
 * @returns the file, piece by piece; a group of pictures that is too large ends it with an error
 * @throws {NotExtractable} its pictures have no place in MP4
 */
export function timeLapseAsMp4(recording: Recording, lapse: TimeLapse): AsyncGenerator<Buffer> {
  const track = mainTracks(recording.tracks).find((main): main is VideoTrack => main.kind === 'video')
  if (track === undefined) throw new NotExtractable('there are no pictures')
  if (!canCarryInFmp4(track)) throw new NotExtractable(`MP4 can't carry ${track.codec}`)
  return piecesOf(recording, track, lapse)
}

async function* piecesOf(recording: Recording, track: VideoTrack, lapse: TimeLapse): AsyncGenerator<Buffer> {
  const writer = new Mp4Writer([track])
  yield writer.head
  let heldBytes = 0
  for await (const unit of keptUnits(recording, track, lapse)) {
    const piece = unit.keyframe ? writer.flush(unit) : null
    if (piece !== null) {
      yield piece
      heldBytes = 0
    }
    heldBytes += unit.sizeBytes
    if (heldBytes > MAX_GOP_BYTES) throw new NotExtractable('a group of pictures is too large to be extracted')
    writer.write(unit)
  }
  const last = writer.flush()
  if (last !== null) yield last
  const { tail } = writer.finish()
  if (tail !== undefined) yield tail
}

/** The units that are kept, with times that have no gaps. */
async function* keptUnits(
  recording: Recording,
  track: VideoTrack,
  { partMs, interval }: TimeLapse,
): AsyncGenerator<AccessUnit> {
  const partTicks = (partMs / 1000) * track.timescale
  let groups = 0
  let part: Part | undefined
  /** When the last picture that is kept is over: pictures last as long as the ones before them, as far as is known. */
  let end: number | undefined
  let formerDts: number | undefined
  let stepTicks = Math.round(track.timescale / 25)
  for await (const unit of unitsOf(recording)) {
    if (unit.track.kind !== 'video' || unit.track.id !== track.id) continue
    if (!isDeepStrictEqual(unit.track.config, track.config)) return
    if (isMainKeyframe(recording, unit)) {
      part =
        groups % interval === 0 ? { keyframe: unit, shift: end === undefined ? -unit.dts : end - unit.pts } : undefined
      groups += 1
      formerDts = undefined
    }
    // Pictures that are seen before the keyframe need the group before.
    if (part === undefined || unit.dts >= part.keyframe.dts + partTicks || unit.pts < part.keyframe.pts) continue
    if (formerDts !== undefined) stepTicks = Math.max(1, unit.dts - formerDts)
    formerDts = unit.dts
    // In the order in which they are decoded, the last is not always the one that is seen last.
    end = Math.max(end ?? 0, unit.pts + part.shift + stepTicks)
    yield unit.at(track, unit.dts + part.shift, unit.pts + part.shift)
  }
}
