import type { Track } from 'sluice/sdk'

type TrackConfig = Track['config']

/** Whether two configurations say the same to a decoder. */
export function sameConfig(one: TrackConfig, other: TrackConfig): boolean {
  if (one === other) return true
  if (one.codecString !== other.codecString || !one.record.equals(other.record)) return false
  if ('width' in one) return 'width' in other && one.width === other.width && one.height === other.height
  return 'channels' in other && one.sampleRate === other.sampleRate && one.channels === other.channels
}
