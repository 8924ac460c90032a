import type { AccessUnit } from '../../../access-unit.ts'
import type { Muxer, MuxerFormat, MuxerStart } from '../../../muxer.ts'
import type { Track } from '../../../track.ts'
import { serializeFragment, type TrackSamples } from '../fragment.ts'
import { createInitSegment } from '../init-segment.ts'
import { CarriedTrack, liveFmp4Tracks } from './carried-track.ts'

class Fmp4Muxer implements Muxer {
  readonly #carried = new Map<Track['kind'], CarriedTrack>()
  /** The tracks of the stream that the muxer takes units of. */
  #taken: readonly Track[] = []
  /** The tracks of the muxer that the sinks come from, until this one has begun. */
  readonly #former: Map<Track['kind'], CarriedTrack>
  #initSegment: Buffer = Buffer.alloc(0)
  #sequenceNumber: number

  constructor(former: Fmp4Muxer | undefined) {
    this.#former = new Map(former && former.#carried)
    this.#sequenceNumber = former ? former.#sequenceNumber : 0
  }

  start({ tracks }: MuxerStart): Buffer {
    const carried = liveFmp4Tracks(tracks)
    this.#taken = carried
    for (const kind of this.#carried.keys()) {
      if (!carried.some((track) => track.kind === kind)) this.#carried.delete(kind)
    }
    for (const track of carried) {
      if (this.#carried.get(track.kind)?.matches(track) === true) continue
      this.#carried.set(track.kind, new CarriedTrack(track, this.#former.get(track.kind)))
    }
    this.#former.clear()
    this.#initSegment = createInitSegment(this.#tracks())
    return this.#initSegment
  }

  /** Another init segment, as for a track that is configured anew. */
  resume(): Buffer {
    return this.#initSegment
  }

  configure(track: Track): Buffer | null {
    return this.#taken.includes(track) ? this.#initSegment : null
  }

  mux(unit: AccessUnit): Buffer | null {
    const carried = this.#taken.includes(unit.track) ? this.#carried.get(unit.track.kind) : undefined
    const samples = carried?.samples(unit)
    if (samples === undefined) return null
    this.#sequenceNumber += 1
    return serializeFragment(this.#sequenceNumber, this.#withSound(samples, unit))
  }

  /**
   * Adds the time at which the sound goes on to a keyframe, with which viewers begin. VLC 3 reads times in the first fragment
   * that it gets, and then counts durations: it would take sound without a time there to begin at zero, and drop it all.
   */
  #withSound(samples: TrackSamples, unit: AccessUnit): readonly TrackSamples[] {
    const sound = unit.keyframe && unit.track.kind === 'video' ? this.#carried.get('audio') : undefined
    return sound ? [samples, sound.position(unit)] : [samples]
  }

  #tracks(): Track[] {
    const tracks = [this.#carried.get('video'), this.#carried.get('audio')]
    return tracks.filter((carried) => carried !== undefined).map(({ track }) => track)
  }
}

function createMuxer(former?: Muxer): Muxer {
  return new Fmp4Muxer(former instanceof Fmp4Muxer ? former : undefined)
}

/**
 * Fragmented MP4 that begins anywhere in the stream: an init segment, then a fragment for each unit, at the stream's own
 * times. A track that comes late, or is configured anew, brings another init segment. It has the tracks that
 * {@link liveFmp4Tracks} gives.
 */
export const FMP4_FORMAT: MuxerFormat = { name: 'fmp4', createMuxer }
