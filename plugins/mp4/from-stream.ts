import type { AccessUnit, Muxer, MuxerFormat, MuxerStart, Track } from 'sluice/sdk'
import { frameBinaryMessage, frameTextMessage } from 'sluice/sdk/http'
import { createInitSegment, isMainTrack, serializeFragment, type TrackSamples } from 'sluice/sdk/media'
import { CarriedTrack, carriedTracks, fmp4ContentType, isCarried } from './carried-track.ts'

const FILE_TYPE = Buffer.from('ftyp')
const TYPE_POSITION = 4

/**
 * Fragmented MP4 that begins anywhere in the stream: an init segment, then a fragment for each unit, at the stream's own
 * times. A track that comes late, or is configured anew, brings another init segment.
 */
class Fmp4Muxer implements Muxer {
  readonly #carried = new Map<Track['kind'], CarriedTrack>()
  #initSegment: Buffer = Buffer.alloc(0)
  #sequenceNumber = 0

  /** The content type of the tracks as they are now. */
  get contentType(): string {
    return fmp4ContentType(this.#tracks())
  }

  start({ tracks }: MuxerStart): Buffer {
    const carried = carriedTracks(tracks)
    for (const kind of this.#carried.keys()) {
      if (!carried.some((track) => track.kind === kind)) this.#carried.delete(kind)
    }
    for (const track of carried) {
      if (this.#carried.get(track.kind)?.matches(track) !== true) this.#carried.set(track.kind, new CarriedTrack(track))
    }
    this.#initSegment = createInitSegment(this.#tracks())
    return this.#initSegment
  }

  configure(track: Track): Buffer | null {
    return isCarried(track) ? this.#initSegment : null
  }

  mux(unit: AccessUnit): Buffer | null {
    const carried = isMainTrack(unit.track) ? this.#carried.get(unit.track.kind) : undefined
    const samples = carried?.samples(unit)
    if (samples === undefined) return null
    this.#sequenceNumber += 1
    return serializeFragment(this.#sequenceNumber, this.#withSound(samples, unit))
  }

  /**
   * Adds to a keyframe, with which viewers begin, where the sound goes on. VLC 3 reads times in the first fragment that
   * it gets, and then counts durations: it would take sound that is not named there to begin at zero, and drop it all.
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

/**
 * The same with each write as one binary WebSocket message. A text message with the content type goes before a write that
 * begins with an init segment; configurations always come first in a write.
 */
class FramedFmp4Muxer extends Fmp4Muxer {
  frame(bytes: Buffer): Buffer {
    const message = frameBinaryMessage(bytes)
    const isInit = bytes.subarray(TYPE_POSITION, TYPE_POSITION + FILE_TYPE.length).equals(FILE_TYPE)
    return isInit ? Buffer.concat([frameTextMessage(this.contentType), message]) : message
  }
}

export const FMP4_FORMAT: MuxerFormat = { name: 'fmp4', createMuxer: () => new Fmp4Muxer() }

export const WS_FMP4_FORMAT: MuxerFormat = { name: 'ws-fmp4', createMuxer: () => new FramedFmp4Muxer() }
