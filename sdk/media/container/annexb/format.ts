import type { AccessUnit } from '../../access-unit.ts'
import { MalformedError } from '../../errors.ts'
import type { Muxer, MuxerFormat, MuxerStart } from '../../muxer.ts'
import { mainTracks } from '../../track.ts'
import { annexBPiecesOf, canCarryInAnnexB, type AnnexBTrack, type UnitPieces } from './unit-pieces.ts'

const NOTHING = Buffer.alloc(0)

/**
 * A unit of H.264 or H.265 as a byte stream (Annex B): with start codes, a delimiter first, and where it is a keyframe with the
 * parameter sets, so that a decoder can start at it.
 * @throws {MalformedError} when the unit is of another codec, or the configuration of its track is broken
 */
export function serializeAnnexB(unit: AccessUnit): Buffer {
  const { track } = unit
  if (!canCarryInAnnexB(track)) throw new MalformedError(`a unit of ${track.codec} has no byte stream form`)
  return Buffer.concat(annexBPiecesOf(track)(unit))
}

class AnnexBMuxer implements Muxer {
  /** The codec of the bytes sent last, by this muxer or by the one that its sinks come from. */
  #codec: AnnexBTrack['codec'] | undefined
  #track: AnnexBTrack | undefined
  #piecesOf: UnitPieces | undefined

  constructor(former: Muxer | undefined) {
    if (former instanceof AnnexBMuxer) this.#codec = former.#codec
  }

  start({ tracks }: MuxerStart): Buffer {
    const track = mainTracks(tracks).find(canCarryInAnnexB)
    this.#track = track
    this.#piecesOf = track && annexBPiecesOf(track)
    // Each keyframe has the parameter sets, and nothing is sent before one.
    return NOTHING
  }

  configure(): null {
    this.#checkCodec()
    return null
  }

  resume(): Buffer {
    this.#checkCodec()
    return NOTHING
  }

  follows(former: Muxer): boolean {
    return former instanceof AnnexBMuxer && former.#codec === this.#codec
  }

  mux(unit: AccessUnit): Buffer | null {
    if (unit.track !== this.#track || this.#piecesOf === undefined) return null
    this.#codec = this.#track.codec
    return Buffer.concat(this.#piecesOf(unit))
  }

  /** Decoders of a byte stream go by one codec from beginning to end. */
  #checkCodec(): void {
    const { codec } = this.#track ?? {}
    if (this.#codec === undefined || codec === undefined || codec === this.#codec) return
    throw new MalformedError(`a byte stream can't go on as ${codec} that began as ${this.#codec}`)
  }
}

/**
 * The main track of pictures as a byte stream (Annex B of ISO/IEC 14496-10 and 23008-2), H.264 or H.265, without sound and
 * times. A sink ends when its stream goes on in the other codec.
 */
export const ANNEXB_FORMAT: MuxerFormat = {
  name: 'annexb',
  carries: canCarryInAnnexB,
  createMuxer: (former) => new AnnexBMuxer(former),
}
