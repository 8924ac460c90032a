import { isDeepStrictEqual } from 'node:util'
import { SluiceError, StreamNotFound, type AccessUnit, type Recording } from 'sluice/sdk'
import { canCarryInFmp4, mainTracks, rescale } from 'sluice/sdk/media'
import { Mp4Writer } from '../record/mp4-writer.ts'
import { isMainKeyframe, unitsOf } from './recorded-units.ts'

/** The most bytes of a group of pictures, with its audio. */
export const MAX_GOP_BYTES = 64 * 1024 * 1024

/**
 * Makes an MP4 of the first group of pictures of a recording: from its keyframe to the next one, with the audio between them.
 * @throws {StreamNotFound} when it has no keyframe
 * @throws {SluiceError} 422 when MP4 can't carry its codecs, or it is too large
 */
export async function gopAsMp4(recording: Recording): Promise<Buffer> {
  const units = await firstGop(recording)
  const tracks = mainTracks(recording.tracks).filter(canCarryInFmp4)
  const [first] = units
  if (first === undefined) throw new StreamNotFound('there is no keyframe at this time')
  if (!tracks.some(({ kind }) => kind === 'video')) throw new NotExtractable(`MP4 can't carry ${first.track.codec}`)
  const writer = new Mp4Writer(tracks)
  for (const unit of units) {
    const track = tracks.find(({ id }) => id === unit.track.id)
    if (track === undefined) continue
    const start = rescale(first.dts, first.track.timescale, track.timescale)
    // Earlier audio is left out, and so are units of another configuration.
    if (unit.dts < start || !isDeepStrictEqual(unit.track.config, track.config)) continue
    writer.write(unit.at(track, unit.dts - start, unit.pts - start))
  }
  const pieces = [writer.head, writer.flush(), writer.finish().tail]
  return Buffer.concat(pieces.filter((piece) => piece !== null && piece !== undefined))
}

/** A recording can't be returned in the requested form (`NOT_EXTRACTABLE`, 422). */
export class NotExtractable extends SluiceError {
  constructor(message: string) {
    super('NOT_EXTRACTABLE', 422, message)
  }
}

async function firstGop(recording: Recording): Promise<AccessUnit[]> {
  const units: AccessUnit[] = []
  let sizeBytes = 0
  for await (const unit of unitsOf(recording)) {
    if (isMainKeyframe(recording, unit)) {
      if (units.length > 0) break
    } else if (units.length === 0) continue
    units.push(unit)
    sizeBytes += unit.sizeBytes
    if (sizeBytes > MAX_GOP_BYTES) throw new NotExtractable('the group of pictures is too large to be extracted')
  }
  return units
}
