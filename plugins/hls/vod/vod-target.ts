import { parseQuery } from 'sluice/sdk'
import { decodePathPart } from 'sluice/sdk/http'
import { addressText } from '../http/request-target.ts'

/** The container of a playlist's entries. */
export type VodPlaylistKind = 'ts' | 'fmp4'

/** The target of a request for recordings. */
export type VodTarget = {
  /** A playlist of segments in MPEG-TS, or of fragmented MP4 files; or such a segment, or such a file. */
  readonly kind: VodPlaylistKind | 'segment' | 'file'
  readonly streamPath: string
  /** The query, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The relative address of the plugin's mount: `../` for each folder. */
  readonly toMount: string
  /** The query for the addresses in the playlist, as it was sent, but without the time range; empty, or with `&` first. */
  readonly carried: string
}

const VOD_PLAYLIST = /^vod\/(?<format>fmp4|mp4|ts)\.m3u8$/u
const SEGMENT = /^download\/(?<streamPath>.+)\.ts$/u
const FILE = /^download\/(?<streamPath>.+)\.fmp4$/u
const PLAYLIST = /^(?<streamPath>.+?)(?:\/index)?\.m3u8$/u
/** Paths of streams that have times themselves: playbacks, and those of devices. */
const OTHER_PLAYBACK = /^(?:vod|gb)_/u
/** The parameters of the playlist itself in its query. */
const OWN_PARAMETER = /^(?:start|end|range|streamPath|type|id|clock|seg|_HLS_[^=]*)(?:=|$)/u

/**
 * Parses a request below the plugin's mounts; undefined when it is not for recordings: `start` or `range` in
 * the query makes it one, as `streamPath` does for the playlists below `vod/`, and `id` for files (api.md 9).
 *
 * | path                                             | is                               |
 * | ------------------------------------------------ | -------------------------------- |
 * | `{streamPath}.m3u8`, `{streamPath}/index.m3u8`   | a playlist of segments in MPEG-TS |
 * | `vod/ts.m3u8`                                    | the same                         |
 * | `vod/fmp4.m3u8`, `vod/mp4.m3u8`                  | a playlist of MP4 files          |
 * | `download/{streamPath}.ts`                       | a segment                        |
 * | `download/{streamPath}.fmp4`                     | an MP4 file                      |
 */
export function parseVodTarget(path: string, query: string): VodTarget | undefined {
  const params = parseQuery(query)
  const parts = path.replace(/^\/+/u, '').split('/')
  const decoded = parts.map(decodePathPart).join('/')
  const isTimed = params['start'] !== undefined || params['range'] !== undefined
  const common = { params, toMount: '../'.repeat(parts.length - 1), carried: carriedOn(query) }
  const { format } = VOD_PLAYLIST.exec(decoded)?.groups ?? {}
  if (format !== undefined && params['streamPath'] !== undefined) {
    return { ...common, kind: format === 'ts' ? 'ts' : 'fmp4', streamPath: params['streamPath'] }
  }
  const file = params['id'] === undefined ? undefined : FILE.exec(decoded)?.groups?.['streamPath']
  if (file !== undefined) return { ...common, kind: 'file', streamPath: file }
  if (!isTimed) return undefined
  const segment = SEGMENT.exec(decoded)?.groups?.['streamPath']
  if (segment !== undefined) return { ...common, kind: 'segment', streamPath: segment }
  const streamPath = PLAYLIST.exec(decoded)?.groups?.['streamPath']
  if (streamPath === undefined || OTHER_PLAYBACK.test(streamPath)) return undefined
  return { ...common, kind: 'ts', streamPath }
}

function carriedOn(query: string): string {
  const kept = query.split('&').filter((parameter) => parameter !== '' && !OWN_PARAMETER.test(parameter))
  return kept.map((parameter) => `&${addressText(parameter)}`).join('')
}
