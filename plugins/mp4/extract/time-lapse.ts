import { isDeepStrictEqual } from 'node:util'
import type { AccessUnit, Recording, VideoTrack } from 'sluice/sdk'
import { canCarryInFmp4, mainTracks } from 'sluice/sdk/media'
import { Mp4Writer } from '../record/mp4-writer.ts'
import { MAX_GOP_BYTES, NotExtractable } from './one-gop.ts'
import { isMainKeyframe, unitsOf } from './recorded-units.ts'

/** The parts of a recording that are kept. */
export type TimeLapse = {
  /** The length of the part that is kept of a group of pictures, from its keyframe on. */
  readonly partMs: number
  /** One group is kept out of this many. */
  readonly interval: number
}

/** A part of a group that is kept; its pictures follow those of the one before. */
type Part = {
  readonly keyframe: AccessUnit
  /** The offset that is added to the times of its pictures. */
  readonly shift: number
}

/**
 * Makes an MP4 of the beginnings of some groups of pictures, one right after the other, without audio. It ends where the video
 * configuration changes.
 * @returns the file, piece by piece; a group of pictures that is too large ends it with an error
 * @throws {NotExtractable} when MP4 can't carry its video
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
  /** The end of the last picture that is kept: a picture's duration is that of the one before, if known. */
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
    // Pictures that are presented before the keyframe need the group before.
    if (part === undefined || unit.dts >= part.keyframe.dts + partTicks || unit.pts < part.keyframe.pts) continue
    if (formerDts !== undefined) stepTicks = Math.max(1, unit.dts - formerDts)
    formerDts = unit.dts
    // The last picture in decoding order is not always the last one in presentation order.
    end = Math.max(end ?? 0, unit.pts + part.shift + stepTicks)
    yield unit.at(track, unit.dts + part.shift, unit.pts + part.shift)
  }
}
