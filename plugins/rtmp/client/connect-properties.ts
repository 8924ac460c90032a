import type { Track } from 'sluice/sdk'
import type { AmfValue } from 'sluice/sdk/media'
import { ANY_FOUR_CC, FOUR_CCS, takenFourCcs } from '../four-ccs.ts'

/** The `flashVer` of a player; servers look for the shape of it. */
export const PLAYER_VERSION = 'LNX 9,0,124,2'

/** `connect` of a player: it takes all that RTMP has a number for (RTMP 1.0 §7.2.1.1), and the codecs that enhanced RTMP added. */
export const PLAYER_PROPERTIES: Readonly<Record<string, AmfValue>> = {
  fpad: false,
  capabilities: 239,
  audioCodecs: 4095,
  videoCodecs: 255,
  videoFunction: 1,
  fourCcList: Object.values(FOUR_CCS),
}

/** `connect` of a publisher: the codecs that need enhanced RTMP are named if there are any, as some servers refuse unknown properties. */
export function publisherProperties(tracks: readonly Track[]): Readonly<Record<string, AmfValue>> {
  const fourCcs = enhanced(tracks).map(({ fourCc }) => fourCc)
  return fourCcs.length === 0 ? {} : { fourCcList: fourCcs }
}

/**
 * The stream's codecs that a server does not accept, by the properties of its answer to `connect`. Empty when the answer names no codecs.
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
