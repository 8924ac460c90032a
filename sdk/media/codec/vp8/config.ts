import type { VideoConfig } from '../../track.ts'
import type { Vp8KeyframeHeader } from './frame-header.ts'

/** The configuration of a track from a keyframe. */
export function vp8Config({ width, height }: Pick<Vp8KeyframeHeader, 'width' | 'height'>): VideoConfig {
  return { record: Buffer.alloc(0), width, height, codecString: 'vp8' }
}
