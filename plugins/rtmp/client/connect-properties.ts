import type { Track } from 'sluice/sdk'
import type { AmfValue } from 'sluice/sdk/media'
import { ANY_FOUR_CC, FOUR_CCS, takenFourCcs } from '../four-ccs.ts'

/** The `flashVer` of a player; servers look for the shape of it. */
export const PLAYER_VERSION = 'LNX 9,0,124,2'

/** The properties of a player's `connect`: all codecs that have a number in RTMP (RTMP 1.0 §7.2.1.1), and those of enhanced RTMP. */
export const PLAYER_PROPERTIES: Readonly<Record<string, AmfValue>> = {
  fpad: false,
  capabilities: 239,
  audioCodecs: 4095,
  videoCodecs: 255,
  videoFunction: 1,
  fourCcList: Object.values(FOUR_CCS),
}

/** Returns the properties of a publisher's `connect`: codecs of enhanced RTMP only if it has any, as some servers refuse unknown ones. */
export function publisherProperties(tracks: readonly Track[]): Readonly<Record<string, AmfValue>> {
  const fourCcs = enhanced(tracks).map(({ fourCc }) => fourCc)
  return fourCcs.length === 0 ? {} : { fourCcList: fourCcs }
}

/**
 * Returns the stream's codecs that a server does not accept, by the properties of its answer to `connect`; none when it names no codecs.
 */
export function untakenCodecs(tracks: readonly Track[], server: Readonly<Record<string, AmfValue>>): readonly string[] {
  const taken = takenFourCcs(server)
  if (taken.size === 0 || taken.has(ANY_FOUR_CC)) return []
  return enhanced(tracks).flatMap(({ codec, fourCc }) => (taken.has(fourCc) ? [] : [codec]))
}

function enhanced(tracks: readonly Track[]): { readonly codec: string; readonly fourCc: string }[] {
  const codecs = [...new Set(tracks.map(({ codec }): string => codec))]
  return codecs.flatMap((codec) => {
    const fourCc = FOUR_CCS[codec]
    return fourCc === undefined ? [] : [{ codec, fourCc }]
  })
}
