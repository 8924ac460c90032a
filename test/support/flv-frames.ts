import { createHash } from 'node:crypto'
import { FlvTagDemuxer, type FlvTag, type Track, type TrackInit, type UnitSink } from 'sluice/sdk/media'
import type { ProbedPacket } from '../peers/ffprobe.ts'
import { waitFor } from '../peers/wait-for.ts'

/** What a viewer got of one access unit. */
export type ReceivedFrame = {
  readonly kind: Track['kind']
  readonly codec: string
  /** Of the track; empty for the main one. */
  readonly track: string
  readonly dtsMs: number
  readonly ptsMs: number
  readonly keyframe: boolean
  readonly md5: string
}

/** Reads the tags that a viewer gets, whatever way they come. */
export class FlvFrames {
  readonly frames: ReceivedFrame[] = []
  /** The tags with decoder configurations, in order. */
  readonly sequenceHeaders: FlvTag[] = []
  readonly metadata: FlvTag[] = []
  readonly tracks: Track[] = []
  readonly #demuxer = new FlvTagDemuxer(this.#sink())

  push(tag: FlvTag): void {
    if (tag.type === 18) {
      this.metadata.push(tag)
      return
    }
    if (isSequenceHeader(tag)) this.sequenceHeaders.push(tag)
    if (tag.type === 9) this.#demuxer.video(tag.timestampMs, tag.body)
    else this.#demuxer.audio(tag.timestampMs, tag.body)
  }

  /** Resolves with the frames when at least so many have come. */
  async wait(count: number): Promise<readonly ReceivedFrame[]> {
    try {
      await waitFor(() => this.frames.length >= count)
    } catch (cause) {
      throw new Error(`waited for ${count} frames, and got ${this.frames.length}`, { cause })
    }
    return this.frames
  }

  #sink(): UnitSink {
    return {
      addTrack: (init: TrackInit) => {
        const track: Track = { ...init, id: this.tracks.length }
        this.tracks.push(track)
        return track
      },
      configureTrack: (track, config) => ({ ...track, config }),
      lost: () => undefined,
      removeTrack: () => {},
      write: ({ track, dts, pts, keyframe, data }) => {
        const { kind, codec, layer = '' } = track
        this.frames.push({ kind, codec, track: layer, dtsMs: dts, ptsMs: pts, keyframe, md5: md5(data) })
      },
    }
  }
}

/** A frame without what differs from viewer to viewer: times count from the first frame. */
export type ComparedFrame = Pick<ReceivedFrame, 'kind' | 'dtsMs' | 'ptsMs' | 'keyframe' | 'md5'>

/** What viewers must get of a source: all from its first keyframe on, or all where there is no video. */
export function fromFirstKeyframe<Frame extends ReceivedFrame | ProbedPacket>(frames: readonly Frame[]): Frame[] {
  const first = frames.findIndex(({ kind, keyframe }) => kind === 'video' && keyframe)
  return frames.slice(Math.max(first, 0))
}

export function comparable(frames: readonly (ReceivedFrame | ProbedPacket)[]): ComparedFrame[] {
  const startMs = frames[0]?.dtsMs ?? 0
  return frames.map(({ kind, dtsMs, ptsMs, keyframe, md5: hash }) => ({
    kind,
    dtsMs: (dtsMs ?? Number.NaN) - startMs,
    ptsMs: (ptsMs ?? Number.NaN) - startMs,
    keyframe,
    md5: hash,
  }))
}

export function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex')
}

const H264 = 7
const AAC = 10
const ENHANCED_AUDIO = 9
const ENHANCED_VIDEO = 0x80

function isSequenceHeader({ type, body }: FlvTag): boolean {
  const [first = 0, second = 0] = body
  if (type === 9 && (first & ENHANCED_VIDEO) !== 0) return isEnhancedStart(first, second, 6)
  if (type === 9) return (first & 0x0f) === H264 && second === 0
  if (first >> 4 === ENHANCED_AUDIO) return isEnhancedStart(first, second, 5)
  return first >> 4 === AAC && second === 0
}

function isEnhancedStart(first: number, second: number, multitrack: number): boolean {
  const packetType = first & 0x0f
  return packetType === multitrack ? (second & 0x0f) === 0 : packetType === 0
}
