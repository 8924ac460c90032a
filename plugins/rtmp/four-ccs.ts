import type { AudioCodec } from 'sluice/sdk'
import { amfFields, type AmfValue } from 'sluice/sdk/media'

/** Sound that RTMP has a number for (RTMP 1.0 §7.2.1.1) and that its players take. */
const PLAIN_SOUND: readonly AudioCodec[] = ['aac', 'mp3', 'pcma', 'pcmu']
const ENHANCED_SOUND = { opus: 'Opus', flac: 'fLaC', ac3: 'ac-3', eac3: 'ec-3' } as const
/** The codecs that RTMP had no number for: their names in enhanced RTMP. */
export const FOUR_CCS: Readonly<Record<string, string>> = {
  h265: 'hvc1',
  av1: 'av01',
  vp9: 'vp09',
  vp8: 'vp08',
  ...ENHANCED_SOUND,
}
/** The masks of enhanced RTMP's maps of codecs: a peer that decodes or forwards a codec takes it. */
const CAN_DECODE = 0x01
const CAN_FORWARD = 0x04
/** Stands for all codecs. */
export const ANY_FOUR_CC = '*'

/**
 * The codecs of enhanced RTMP that a peer accepts, by `connect` or its answer (Enhanced RTMP v2, `fourCcList`,
 * `videoFourCcInfoMap`, `audioFourCcInfoMap`). Empty when it names none.
 */
export function takenFourCcs(peer: Readonly<Record<string, AmfValue>>): ReadonlySet<unknown> {
  const { fourCcList, videoFourCcInfoMap, audioFourCcInfoMap } = peer
  const taken = new Set<unknown>(Array.isArray(fourCcList) ? fourCcList : [])
  for (const map of [videoFourCcInfoMap, audioFourCcInfoMap]) {
    for (const [fourCc, mask] of Object.entries(amfFields(map) ?? {})) {
      if (typeof mask === 'number' && (mask & (CAN_DECODE | CAN_FORWARD)) !== 0) taken.add(fourCc)
    }
  }
  return taken
}

/** The audio codecs that a player can play: those of original RTMP, and those of enhanced RTMP that it names. */
export function playableSound(player: Readonly<Record<string, AmfValue>>): readonly AudioCodec[] {
  const taken = takenFourCcs(player)
  const named = Object.entries(ENHANCED_SOUND).filter(([, fourCc]) => taken.has(fourCc) || taken.has(ANY_FOUR_CC))
  return [...PLAIN_SOUND, ...named.map(([codec]) => codec as keyof typeof ENHANCED_SOUND)]
}
