import type { AccessUnit, Muxer, MuxerFormat, MuxerStart, Track } from 'sluice/sdk'
import { frameBinaryMessage, frameTextMessage } from 'sluice/sdk/http'
import { createInitSegment, isMainTrack, serializeFragment } from 'sluice/sdk/media'
import { CarriedTrack, carriedTracks, fmp4ContentType, isCarried } from './carried-track.ts'

const FILE_TYPE = Buffer.from('ftyp')
const TYPE_POSITION = 4

/**
 * Fragmented MP4 that begins anywhere in the stream: an init segment, then a fragment for each unit, at the stream's own
 * times. A track that comes late, or is configured anew, brings another init segment.
 */
class Fmp4Muxer implements Muxer {
  readonly #carried = new Map<Track['kind'], CarriedTrack>()
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
    for (const track of carried) this.#carry(track)
    return createInitSegment(this.#tracks())
  }

  configure(track: Track): Buffer | null {
    if (!isMainTrack(track)) return null
    if (!isCarried(track)) {
      // It took the place of one that was carried.
      this.#carried.delete(track.kind)
      return null
    }
    this.#carry(track)
    return createInitSegment(this.#tracks())
  }

  mux(unit: AccessUnit): Buffer | null {
    const samples = this.#carriedFor(unit.track)?.samples(unit)
    if (samples === undefined) return null
    this.#sequenceNumber += 1
    return serializeFragment(this.#sequenceNumber, [samples])
  }

  #carriedFor(track: Track): CarriedTrack | undefined {
    if (!isMainTrack(track)) return undefined
    const carried = this.#carried.get(track.kind)
    if (carried !== undefined) return carried
    // Units that a stream has kept come before the first start.
    return isCarried(track) ? this.#carry(track) : undefined
  }

  #carry(track: Track): CarriedTrack {
    const known = this.#carried.get(track.kind)
    if (known?.matches(track) === true) return known
    const carried = new CarriedTrack(track)
    this.#carried.set(track.kind, carried)
    return carried
  }

  #tracks(): Track[] {
    const tracks = [this.#carried.get('video'), this.#carried.get('audio')]
    return tracks.filter((carried) => carried !== undefined).map(({ track }) => track)
  }
}

/**
 * The same, each write as one binary WebSocket message. One that begins with an init segment follows a text message with
 * the content type: configurations come first in a write.
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
