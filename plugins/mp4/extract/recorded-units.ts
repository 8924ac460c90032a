import { StreamUnavailable, type AccessUnit, type PlaybackInit, type PluginContext, type Recording } from 'sluice/sdk'
import { mainTracks } from 'sluice/sdk/media'

/**
 * Opens the recordings of a stream, of any type.
 * @param signal closes them
 * @throws {StreamNotFound} when there are none in this time
 * @throws {StreamUnavailable} when the server records nothing, or has no database
 */
export function openRecording(
  { services }: Pick<PluginContext<unknown>, 'services'>,
  init: PlaybackInit,
  signal: AbortSignal,
): Promise<Recording> {
  const recordings = services.get('recordings')
  if (recordings === undefined) throw new StreamUnavailable('the server records nothing')
  return recordings.open(init, signal)
}

/** The units of a recording, one after the other. */
export async function* unitsOf(recording: Recording): AsyncGenerator<AccessUnit> {
  for (let unit = await recording.next(); unit !== undefined; unit = await recording.next()) yield unit
}

/** True when a unit is a keyframe of the main video track. */
export function isMainKeyframe({ tracks }: Recording, { keyframe, track }: AccessUnit): boolean {
  const [main] = mainTracks(tracks)
  return keyframe && track.kind === 'video' && track.id === main?.id
}
