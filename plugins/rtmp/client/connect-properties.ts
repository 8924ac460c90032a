import type { Track } from 'sluice/sdk'
import { amfFields, type AmfValue } from 'sluice/sdk/media'

/** What players call themselves; servers look for the shape of it. */
export const PLAYER_VERSION = 'LNX 9,0,124,2'

/** The codecs that RTMP had no number for: their names in enhanced RTMP. */
const FOUR_CCS: Readonly<Record<string, string>> = {
  ...{ h265: 'hvc1', av1: 'av01', vp9: 'vp09', vp8: 'vp08' },
  ...{ opus: 'Opus', flac: 'fLaC', ac3: 'ac-3', eac3: 'ec-3' },
}
/** The masks of enhanced RTMP's maps of codecs: a server that decodes or forwards a codec takes it. */
const CAN_DECODE = 0x01
const CAN_FORWARD = 0x04
const ANY = '*'

/** `connect` of a player: it takes all that RTMP has a number for (RTMP 1.0 §7.2.1.1), and what enhanced RTMP added. */
export const PLAYER_PROPERTIES: Readonly<Record<string, AmfValue>> = {
  ...{ fpad: false, capabilities: 239, audioCodecs: 0x0f_ff, videoCodecs: 0xff, videoFunction: 1 },
  fourCcList: Object.values(FOUR_CCS),
}

/**
 * `connect` of a publisher: the codecs that need enhanced RTMP are named where there are any, as some servers refuse what they
 * don't know.
 */
export function publisherProperties(tracks: readonly Track[]): Readonly<Record<string, AmfValue>> {
  const fourCcs = enhanced(tracks).map(({ fourCc }) => fourCc)
  return fourCcs.length === 0 ? {} : { fourCcList: fourCcs }
}

/**
 * The codecs of a stream that a server does not take, by what it says of itself in its answer to `connect` (Enhanced RTMP v2,
 * `fourCcList`, `videoFourCcInfoMap`, `audioFourCcInfoMap`). None where it says nothing.
 */
export function untakenCodecs(tracks: readonly Track[], server: Readonly<Record<string, AmfValue>>): readonly string[] {
  const { fourCcList, videoFourCcInfoMap, audioFourCcInfoMap } = server
  const taken = new Set<unknown>(Array.isArray(fourCcList) ? fourCcList : [])
  for (const map of [videoFourCcInfoMap, audioFourCcInfoMap]) {
    for (const [fourCc, mask] of Object.entries(amfFields(map) ?? {})) {
      if (typeof mask === 'number' && (mask & (CAN_DECODE | CAN_FORWARD)) !== 0) taken.add(fourCc)
    }
  }
  if (taken.size === 0 || taken.has(ANY)) return []
  return enhanced(tracks).flatMap(({ codec, fourCc }) => (taken.has(fourCc) ? [] : [codec]))
}

function enhanced(tracks: readonly Track[]): { readonly codec: string; readonly fourCc: string }[] {
  const codecs = [...new Set(tracks.map(({ codec }): string => codec))]
  return codecs.flatMap((codec) => {
    const fourCc = FOUR_CCS[codec]
    return fourCc === undefined ? [] : [{ codec, fourCc }]
  })
}
