import { fullBox, parseFullBox, type Box } from '../box.ts'
import { uint32 } from './fields.ts'
import type { SampleDefaults } from './track-run.ts'

/** `trex` (ISO/IEC 14496-12 8.8.3): the defaults for samples of a track for which fragments have no values. */
export type TrackExtends = { readonly trackId: number; readonly defaults: SampleDefaults }

/** The only sample description of a track. */
const DESCRIPTION_INDEX = 1

export function serializeTrackExtends({ trackId, defaults }: TrackExtends): Box {
  const { durationTicks, sizeBytes, flags } = defaults
  return fullBox('trex', 0, 0, [uint32(trackId, DESCRIPTION_INDEX, durationTicks, sizeBytes, flags)])
}

/** @throws {MalformedError} when it ends early. */
export function parseTrackExtends(body: Buffer): TrackExtends {
  const { fields } = parseFullBox(body)
  const trackId = fields.readUint(4)
  fields.readUint(4)
  return {
    trackId,
    defaults: { durationTicks: fields.readUint(4), sizeBytes: fields.readUint(4), flags: fields.readUint(4) },
  }
}
