import { AccessUnit, type Track } from 'sluice/sdk'
import type { Fragment } from 'sluice/sdk/media'

/** Steps of times in milliseconds, and jitter, are no gaps. */
const MIN_GAP_SECONDS = 0.01
/** A longer one is a break in the stream, and taken as it is. */
const MAX_GAP_SECONDS = 10
/** Frames of AAC LC without a sound, by channels, as encoders make them. */
const SILENT_AAC = new Map([
  [1, Buffer.from('01182007', 'hex')],
  [2, Buffer.from('211004608c1c', 'hex')],
])
/** Of an Opus packet's first byte, all but how many frames there are (RFC 6716 3.1). */
const OPUS_ONE_FRAME = 0xfc

/**
 * Fills gaps in the sound, for players on Media Source Extensions take one of more than a frame for a break: they drop
 * the pictures, too, until the next keyframe (MSE, coded frame processing).
 */
export class SoundGaps {
  #last: { readonly data: Buffer; readonly endSeconds: number; readonly frameSeconds: number } | undefined

  /** What goes before a unit, if it comes late: frames without a sound, or the frame before as often as it takes. */
  fillers({ track, dts }: AccessUnit): AccessUnit[] {
    const last = this.#last
    if (last === undefined || last.frameSeconds <= 0) return []
    const { endSeconds, frameSeconds } = last
    const gapSeconds = dts / track.timescale - endSeconds
    if (gapSeconds <= MIN_GAP_SECONDS || gapSeconds > MAX_GAP_SECONDS) return []
    const data = silenceAfter(track, last.data)
    return Array.from({ length: Math.max(1, Math.round(gapSeconds / frameSeconds)) }, (_, index) => {
      const fillerDts = Math.round((endSeconds + index * frameSeconds) * track.timescale)
      return AccessUnit.fromData(track, fillerDts, fillerDts, true, data)
    })
  }

  /** Notes a unit, and the fragment that it came to be in, behind so many fillers. */
  passed({ data }: AccessUnit, { startSeconds, durationSeconds }: Fragment, fillers: number): void {
    const frameSeconds = fillers > 0 && this.#last !== undefined ? this.#last.frameSeconds : durationSeconds
    this.#last = { data, endSeconds: startSeconds + durationSeconds, frameSeconds }
  }
}

function silenceAfter({ codec, config }: Track, frame: Buffer): Buffer {
  // A frame of no bytes has the decoder fade out.
  if (codec === 'opus') return Buffer.of((frame[0] ?? 0) & OPUS_ONE_FRAME)
  const isPlainAac = config.codecString === 'mp4a.40.2' && 'channels' in config
  return (isPlainAac ? SILENT_AAC.get(config.channels) : undefined) ?? frame
}
