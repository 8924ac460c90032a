import type { Muxer, Track } from 'sluice/sdk'
import {
  canCarryInFlv,
  FLV_TAG_TYPE,
  mainTracks,
  serializeFlvFileHeader,
  serializeFlvTag,
  serializeOnMetaData,
} from 'sluice/sdk/media'

/**
 * Writes the beginning of an FLV file with the main tracks.
 * @param muxer the muxer that has taken the tracks
 * @param whole the metadata of the whole file, in addition to the tracks
 */
export function serializeFlvHead(
  muxer: Pick<Muxer, 'configure'>,
  tracks: readonly Track[],
  whole: Parameters<typeof serializeOnMetaData>[1],
): Buffer {
  const main = mainTracks(tracks.filter(canCarryInFlv))
  const kinds = { audio: main.some(({ kind }) => kind === 'audio'), video: main.some(({ kind }) => kind === 'video') }
  const metadata = serializeFlvTag(FLV_TAG_TYPE.script, 0, [serializeOnMetaData(main, whole)])
  const configs = main.flatMap((track) => muxer.configure(track, 0) ?? [])
  return Buffer.concat([serializeFlvFileHeader(kinds), metadata, ...configs])
}
