import { MAX_ACCESS_UNIT_SIZE_BYTES, MAX_NALUS_PER_ACCESS_UNIT } from '../../codec/nalu.ts'
import { MalformedError } from '../../errors.ts'
import type { VideoConfig } from '../../track.ts'
import type { RtpFrame } from '../depacketizer.ts'
import { MAX_PACKETS_PER_ACCESS_UNIT } from '../limits.ts'
import type { RtpPacket } from '../packet.ts'
import { NaluFragments } from './fragments.ts'
import type { KnownSets } from './sprop.ts'
import { splitAtStartCodes } from './start-code.ts'
import type { NaluSyntax } from './syntax.ts'

const NO_FRAMES: readonly RtpFrame[] = []

/**
 * Puts pictures of H.264 and H.265 together from the NAL units of packets.
 *
 * A picture ends at a packet with the marker, or else where the time changes. Some cameras set the marker on every slice: so
 * the first picture is held until the packet after the marker shows another picture or more of the same one, and where it is
 * more, pictures end by time only. The first slice of a picture shows its beginning; slices without it, as the packets before
 * them are lost, make no picture. (Slices in any order, as the Baseline profile allows them, are not read.)
 *
 * NAL units without a slice are no picture: parameter sets among them go to the next one.
 */
export class PictureAssembler {
  readonly #syntax: NaluSyntax
  readonly #sets: KnownSets['sets']
  readonly #fragments = new NaluFragments()
  #timestamp: number | undefined
  #nalus: Buffer[] = []
  #sizeBytes = 0
  #packets = 0
  #hasSlice = false
  /** A marker came with the last slice so far. */
  #marked = false
  #markersEnd: 'unknown' | 'pictures' | 'slices' = 'unknown'
  /** The timestamp of the last picture, if nothing was given up since. */
  #finishedTimestamp: number | undefined
  #finished: RtpFrame[] = []
  #configured: boolean
  /** True when the sets have changed since the last configuration. */
  #stale = false

  constructor(syntax: NaluSyntax, { sets, config }: KnownSets) {
    this.#syntax = syntax
    this.#sets = sets
    this.#configured = config !== undefined
  }

  /**
   * Reads the next packet as a depacketizer's `push` does. Pictures that were complete before a broken packet come with
   * the next one.
   * @param read Gives the payload's NAL units to `take` and its fragments to `beginFragments` and `takeFragment`
   */
  push(packet: RtpPacket, follows: boolean, read: (payload: Buffer) => void): readonly RtpFrame[] {
    const { payload, timestamp, marker } = packet
    if (!follows) this.#interrupt()
    // Senders that probe the network send padding alone.
    if (payload.length === 0) return this.#takeFinished()
    try {
      this.#begin(timestamp)
      read(payload)
      if (marker && !this.#fragments.begun) this.#mark()
    } catch (error) {
      this.#discard()
      this.#fragments.lose()
      throw error
    }
    return this.#takeFinished()
  }

  /** Takes a NAL unit that came whole. */
  take(nalu: Buffer): void {
    this.#leaveFragments()
    this.#takeWhole(nalu)
  }

  /** Takes the header of a NAL unit that follows in fragments. */
  beginFragments(header: Buffer): void {
    this.#leaveFragments()
    this.#fragments.begin(header)
  }

  takeFragment(fragment: Buffer, end: boolean): void {
    const nalu = this.#fragments.push(fragment, end)
    if (nalu !== undefined) this.#takeWhole(nalu)
  }

  #begin(timestamp: number): void {
    if (timestamp !== this.#timestamp) {
      if (this.#fragments.begun) this.#leaveFragments()
      if (this.#hasSlice) this.#finish()
      else this.#keepSets()
      this.#timestamp = timestamp
      this.#packets = 0
    }
    this.#packets += 1
    if (this.#packets > MAX_PACKETS_PER_ACCESS_UNIT) {
      throw new MalformedError(`access unit of more than ${MAX_PACKETS_PER_ACCESS_UNIT} packets`)
    }
  }

  #takeWhole(bytes: Buffer): void {
    for (const nalu of splitAtStartCodes(bytes)) {
      const type = this.#syntax.typeOf(nalu)
      if (nalu.length <= this.#syntax.headerSizeBytes || !this.#syntax.isCarried(type)) continue
      if (this.#syntax.isSlice(type)) this.#takeSlice(nalu)
      else this.#keep(nalu)
    }
  }

  #takeSlice(slice: Buffer): void {
    const first = this.#syntax.isFirstSlice(slice)
    if (this.#marked) {
      if (first) this.#finish()
      else this.#markersEnd = 'slices'
      this.#marked = false
    }
    if (!this.#hasSlice && !first) {
      if (this.#timestamp === this.#finishedTimestamp) this.#markersEnd = 'slices'
      return
    }
    this.#hasSlice = true
    this.#keep(slice)
  }

  #keep(nalu: Buffer): void {
    if (this.#nalus.length === MAX_NALUS_PER_ACCESS_UNIT) {
      throw new MalformedError(`access unit of more than ${MAX_NALUS_PER_ACCESS_UNIT} NAL units`)
    }
    this.#sizeBytes += nalu.length
    if (this.#sizeBytes > MAX_ACCESS_UNIT_SIZE_BYTES) {
      throw new MalformedError(`access unit of more than ${MAX_ACCESS_UNIT_SIZE_BYTES} bytes`)
    }
    this.#nalus.push(nalu)
  }

  #keepSets(): void {
    if (this.#nalus.length === 0) return
    const sets = this.#nalus.filter((nalu) => this.#sets.isSet(this.#syntax.typeOf(nalu)))
    this.#discard()
    for (const set of sets) this.#keep(set)
  }

  #mark(): void {
    if (!this.#hasSlice) return
    if (this.#markersEnd === 'pictures') this.#finish()
    else this.#marked = true
  }

  #finish(): void {
    if (this.#marked && this.#markersEnd === 'unknown') this.#markersEnd = 'pictures'
    const nalus = this.#nalus
    const timestamp = this.#timestamp!
    const keyframe = this.#syntax.isRandomAccess(nalus)
    const config = this.#follow(nalus, keyframe)
    this.#finished.push(config ? { timestamp, keyframe, nalus, config } : { timestamp, keyframe, nalus })
    this.#discard()
    this.#finishedTimestamp = timestamp
  }

  /** Follows the parameter sets of a picture, and returns the configuration from there on if it is another. */
  #follow(nalus: readonly Buffer[], keyframe: boolean): VideoConfig | undefined {
    const sets = nalus.filter((nalu) => this.#sets.isSet(this.#syntax.typeOf(nalu)))
    if (sets.length > 0 && this.#sets.update(sets.map((nalu) => ({ type: this.#syntax.typeOf(nalu), nalu })))) {
      this.#stale = true
    }
    if (!this.#stale || (this.#configured && !keyframe)) return undefined
    const config = this.#sets.tryConfig()
    if (config === undefined) return undefined
    this.#stale = false
    this.#configured = true
    return config
  }

  /** Packets are missing. A picture that is held only to see what a marker means is whole, as nearly all markers mean it. */
  #interrupt(): void {
    if (this.#marked && this.#markersEnd === 'unknown') {
      this.#finish()
      this.#markersEnd = 'unknown'
    }
    this.#discard()
    this.#fragments.lose()
  }

  /** Gives up a picture with a NAL unit that does not end. */
  #leaveFragments(): void {
    if (this.#fragments.begun) this.#discard()
    this.#fragments.leave()
  }

  #discard(): void {
    this.#nalus = []
    this.#sizeBytes = 0
    this.#hasSlice = false
    this.#marked = false
    this.#finishedTimestamp = undefined
  }

  #takeFinished(): readonly RtpFrame[] {
    if (this.#finished.length === 0) return NO_FRAMES
    const finished = this.#finished
    this.#finished = []
    return finished
  }
}
